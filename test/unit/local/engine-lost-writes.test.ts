import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Engine } from '../../../local/engine/engine.ts'
import type { ExecutionTable } from '../../../local/engine/execution-table.ts'
import {
  definitionsOf,
  type EngineLab,
  freshRef,
  INPUT,
  keptLog,
  openEngineLab,
  task,
  until,
} from '../../support/local/engine-lab.ts'

let lab: EngineLab
beforeAll(async () => {
  lab = await openEngineLab()
})
afterAll(() => lab.stop())

type Write = 'insert' | 'checkpoint' | 'close'

/** The table, whose first write of a kind fails: not carried out, or carried out with the answer lost. */
const losing = (write: Write, when: 'before' | 'after'): ExecutionTable => {
  let lost = false
  const carryOut = async (args: unknown[]): Promise<unknown> => {
    const call = () => (lab.table[write] as (...all: unknown[]) => Promise<unknown>)(...args)
    if (lost) return call()
    lost = true
    if (when === 'after') await call()
    throw new Error('The table does not answer.')
  }
  return new Proxy(lab.table, {
    get: (table, name: keyof ExecutionTable) =>
      name === write ? (...args: unknown[]) => carryOut(args) : table[name].bind(table),
  })
}

const engineOn = (table: ExecutionTable) => {
  const steps: string[] = []
  const log = keptLog()
  const engine = new Engine({
    table,
    definitions: definitionsOf({ One: task('One', { Next: 'Two' }), Two: task('Two', { End: true }) }),
    handler: async (payload) => {
      steps.push((payload as { step: string }).step)
      return { done: true }
    },
    clock: { now: () => new Date() },
    log,
  })
  return { engine, steps, log }
}

describe('an engine whose table did not answer for a moment', () => {
  it('takes up an execution whose end was not stored, at its last state', async () => {
    const { engine, steps, log } = engineOn(losing('close', 'before'))
    const ref = freshRef()
    await engine.start(ref, INPUT)
    await until(() => log.lines.some(({ message }) => message === 'end of an execution not stored'))
    expect(await engine.describe(ref)).toBe('running')
    await until(async () => (await engine.resume()) === 1)
    await until(async () => (await engine.describe(ref)) === 'succeeded')
    expect(steps).toEqual(['One', 'Two', 'Two'])
    expect(await engine.resume()).toBe(0)
  })

  it('goes on with an execution whose checkpoint was not stored', async () => {
    const { engine, steps } = engineOn(losing('checkpoint', 'before'))
    const ref = freshRef()
    await engine.start(ref, INPUT)
    await until(async () => (await engine.describe(ref)) === 'succeeded')
    expect(steps).toEqual(['One', 'Two'])
  })

  it('takes up an execution that was stored though its start seemed to fail', async () => {
    const { engine, steps } = engineOn(losing('insert', 'after'))
    const ref = freshRef()
    await expect(engine.start(ref, INPUT)).rejects.toThrow('does not answer')
    expect(await engine.resume()).toBe(1)
    await until(async () => (await engine.describe(ref)) === 'succeeded')
    expect(steps).toEqual(['One', 'Two'])
  })
})
