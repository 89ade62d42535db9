import type { JoinRow } from './joins.ts'

export type Results = { creates: { tool: string; seconds: number }[]; joins: JoinRow[] }

const line = (cells: readonly (string | number)[]): string => `| ${cells.join(' | ')} |`

/** As Markdown, for docs/benchmarks.md. */
export const table = ({ creates, joins }: Results): string =>
  [
    line(['create', 'seconds']),
    line(['---', '---:']),
    ...creates.map(({ tool, seconds }) => line([tool, seconds.toFixed(1)])),
    '',
    line([
      'members',
      'how',
      'tool',
      'joined and Ready, s',
      'unjoined, s',
      'CPU s a join',
      'API calls a join',
      'failed',
    ]),
    line(['---:', '---', '---', '---:', '---:', '---:', '---:', '---:']),
    ...joins.map((row) =>
      line([
        row.members,
        row.mode,
        row.tool,
        row.joinSeconds.toFixed(1),
        row.unjoinSeconds.toFixed(1),
        row.cpuSeconds.toFixed(2),
        row.calls.toFixed(0),
        row.failed,
      ]),
    ),
    '',
  ].join('\n')
