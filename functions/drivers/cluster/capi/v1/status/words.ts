/** Aggregated messages of Cluster API are nested lists in lines ("* Machine a:", "  * NodeHealthy: …"): the same in one line. */
export const inOneLine = (text: string): string =>
  text
    .replaceAll(/^\s*\*\s+/gm, '')
    .replaceAll(/:\s*\n\s*/g, ': ')
    .replaceAll(/\s*\n\s*/g, '; ')
    .replaceAll(/\s+/g, ' ')
    .trim()
