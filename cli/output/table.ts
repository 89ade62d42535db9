import stringWidth from 'string-width'
import { UNSHOWN } from '../../functions/core/values/wording.ts'

/** Spaces between columns, as kubectl has them. */
const GAP = '   '

/** What others wrote, on one line and without what would steer a terminal. */
export const shown = (text: string): string => text.replaceAll(UNSHOWN, ' ')

const padded = (cell: string, width: number): string => cell + ' '.repeat(Math.max(0, width - stringWidth(cell)))

/** Aligned columns under their headings; an empty cell is `<none>`, as in kubectl. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string => {
  const lines = [headings, ...rows.map((row) => row.map((cell) => shown(cell) || '<none>'))]
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => stringWidth(line[column] ?? ''))))
  return lines
    .map(
      (line) =>
        `${line
          .map((cell, column) => padded(cell, widths[column] ?? 0))
          .join(GAP)
          .trimEnd()}\n`,
    )
    .join('')
}

/** `Name:   fleet`, one line each, with aligned values. */
export const description = (facts: readonly (readonly [name: string, value: string])[]): string => {
  const width = Math.max(...facts.map(([name]) => stringWidth(shown(name)))) + 1
  return facts.map(([name, value]) => `${padded(`${shown(name)}:`, width)}${GAP}${shown(value) || '<none>'}\n`).join('')
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const

/** `95s`, `12m`, `3h`, `8d`: as kubectl shows an age. */
export const age = (since: string, now: number): string => {
  const seconds = Math.max(0, Math.round((now - Date.parse(since)) / 1000))
  if (Number.isNaN(seconds)) return '<unknown>'
  const [unit, size] = UNITS.find(([, each]) => seconds >= each * 2) ?? ['s', 1]
  return `${Math.floor(seconds / size)}${unit}`
}
