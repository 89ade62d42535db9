import type { Logger } from '../functions/core/ports.ts'
import { redact } from '../functions/runtime/redact.ts'

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

export type LoggerOptions = {
  /** Lines below it are not written. */
  level: LogLevel
  /** Takes one line without its newline. Default: stderr, so that stdout stays for what the user asked for. */
  write?: (line: string) => void
  /** Added to each line. */
  fields?: Record<string, unknown>
}

const toStderr = (line: string): void => {
  process.stderr.write(`${line}\n`)
}

/** Structured log lines for local mode, one JSON object each, redacted as on AWS. Stacks only at debug. */
export const createLogger = (options: LoggerOptions): Logger => {
  const { level, write = toStderr, fields = {} } = options
  const keep = (key: string, value: unknown): unknown => {
    if (key === 'stack' && level !== 'debug') return undefined
    return typeof value === 'bigint' ? value.toString() : value
  }
  const log =
    (at: LogLevel) =>
    (message: string, more: Record<string, unknown> = {}): void => {
      if (LOG_LEVELS.indexOf(at) < LOG_LEVELS.indexOf(level)) return
      const head = { time: new Date().toISOString(), level: at, message }
      write(JSON.stringify({ ...head, ...redact({ ...fields, ...more }) }, keep))
    }
  return {
    debug: log('debug'),
    info: log('info'),
    warn: log('warn'),
    error: log('error'),
    child: (more) => createLogger({ level, write, fields: { ...fields, ...more } }),
  }
}
