import { Logger as PowertoolsLogger } from '@aws-lambda-powertools/logger'
import type { Logger } from '../core/ports.ts'
import { redact } from './redact.ts'

/** What is used of Powertools: a fake needs no more. */
export type LineWriter = Record<
  'debug' | 'info' | 'warn' | 'error',
  (message: string, fields: Record<string, unknown>) => void
>

const withFields = (writer: LineWriter, bound: Record<string, unknown>): Logger => {
  const write =
    (level: keyof LineWriter) =>
    (message: string, fields: Record<string, unknown> = {}): void =>
      writer[level](message, redact({ ...bound, ...fields }))
  return {
    debug: write('debug'),
    info: write('info'),
    warn: write('warn'),
    error: write('error'),
    child: (fields) => withFields(writer, { ...bound, ...fields }),
  }
}

/** JSON lines on stdout in Powertools' form. Level: `POWERTOOLS_LOG_LEVEL`, default INFO. Secrets are taken out before. */
export const powertoolsLog = (writer: LineWriter = new PowertoolsLogger({ serviceName: 'fedplane' })): Logger =>
  withFields(writer, {})
