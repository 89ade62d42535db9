import { describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import { RevisionConflict } from '../../../functions/store/errors.ts'
import { createLogger, type LogLevel } from '../../../local/logger.ts'

const collect = (level: LogLevel) => {
  const lines: Record<string, unknown>[] = []
  return { lines, log: createLogger({ level, write: (line) => lines.push(JSON.parse(line)) }) }
}

describe('createLogger', () => {
  it('writes a JSON line with the fields of its parents', () => {
    const { lines, log } = collect('info')
    log.child({ requestId: 'r' }).child({ driver: 'd@1' }).info('done', { count: 2n })
    expect(lines).toEqual([
      { time: expect.stringMatching(/Z$/), level: 'info', message: 'done', requestId: 'r', driver: 'd@1', count: '2' },
    ])
  })

  it('leaves out what is below its level', () => {
    const { lines, log } = collect('warn')
    for (const level of ['debug', 'info', 'warn', 'error'] as const) log[level](level)
    expect(lines.map((line) => line.level)).toEqual(['warn', 'error'])
    const silent = collect('silent')
    silent.log.error('x')
    expect(silent.lines).toEqual([])
  })

  it('says of an error its name, message and details, and the stack only at debug', () => {
    const error = new RevisionConflict('It changed.', { details: { id: '1' }, cause: new Error('body with a token') })
    const warn = collect('warn')
    warn.log.error('failed', { error, other: new Error('plain') })
    expect(warn.lines[0]?.error).toMatchObject({
      name: 'RevisionConflict',
      message: 'It changed.',
      details: { id: '1' },
    })
    expect(JSON.stringify(warn.lines)).not.toMatch(/body with a token|stack/)
    const debug = collect('debug')
    debug.log.error('failed', { error: new Error('plain') })
    expect(debug.lines[0]?.error).toHaveProperty('stack')
  })

  it('shows no secret, no key material, and survives a circle', () => {
    const { lines, log } = collect('info')
    const circle: Record<string, unknown> = { secret: new Secret('hidden'), key: Buffer.from('hidden') }
    circle.self = circle
    log.info('x', circle)
    expect(JSON.stringify(lines)).not.toMatch(/hidden|aGlkZGVu/)
  })
})
