import { inspect } from 'node:util'
import type { Logger } from '../../../functions/core/ports.ts'

export type RecordedLog = Logger & { lines: { level: string; message: string; fields: Record<string, unknown> }[] }

/** Keeps every line, with all that it would show. */
export const recordedLog = (lines: RecordedLog['lines'] = [], base: Record<string, unknown> = {}): RecordedLog => {
  const write =
    (level: string) =>
    (message: string, fields: Record<string, unknown> = {}): void => {
      lines.push({ level, message, fields: { ...base, ...fields } })
    }
  return {
    lines,
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => recordedLog(lines, { ...base, ...fields }),
  }
}

/** All lines as text, errors with their stacks and causes. */
export const textOf = ({ lines }: RecordedLog): string => inspect(lines, { depth: 20 })
