import { describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import { type LineWriter, powertoolsLog } from '../../../functions/runtime/powertools-log.ts'

const recorder = () => {
  const lines: unknown[] = []
  const at = (level: string) => (message: string, fields: Record<string, unknown>) =>
    lines.push({ level, message, fields })
  const writer: LineWriter = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') }
  return { lines, log: powertoolsLog(writer) }
}

describe('powertoolsLog', () => {
  it.each(['debug', 'info', 'warn', 'error'] as const)('writes %s lines with their fields', (level) => {
    const { lines, log } = recorder()
    log[level]('joined', { clusterId: 'c' })
    expect(lines).toEqual([{ level, message: 'joined', fields: { clusterId: 'c' } }])
  })

  it('adds the fields of each parent, the nearest winning', () => {
    const { lines, log } = recorder()
    log.child({ projectId: 'p', flow: 'a' }).child({ flow: 'b' }).info('started')
    expect(lines).toEqual([{ level: 'info', message: 'started', fields: { projectId: 'p', flow: 'b' } }])
  })

  it('takes secrets out, of bound fields too', () => {
    const { lines, log } = recorder()
    log.child({ bound: new Secret('marker') }).warn('x', { given: new Secret('marker') })
    expect(lines).toEqual([{ level: 'warn', message: 'x', fields: { bound: '***', given: '***' } }])
  })
})
