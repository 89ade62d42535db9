import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ExecutionRef } from '../../../functions/core/operation/operation.ts'
import { AppError } from '../../../functions/core/values/app-error.ts'
import type { Engine } from '../../../local/engine/engine.ts'
import type { ExecutionEnd } from '../../../local/engine/execution-record.ts'
import {
  definitionsOf,
  type EngineLab,
  FLOW,
  freshRef,
  gate,
  INPUT,
  openEngineLab,
  task,
  until,
} from '../../support/local/engine-lab.ts'

class Pending extends AppError {
  override readonly name = 'Pending'
  readonly kind = 'unavailable'
}
class Broken extends AppError {
  override readonly name = 'Broken'
  readonly kind = 'conflict'
}

type Payload = { flow: string; step: string; state: Record<string, unknown> }

let lab: EngineLab
beforeAll(async () => {
  lab = await openEngineLab()
})
afterAll(() => lab.stop())

const ended = (engine: Engine, ref: ExecutionRef) =>
  until(async () => {
    const state = await engine.describe(ref)
    return state !== 'running' && state
  })

const outputOf = async (ref: ExecutionRef) => JSON.parse((await lab.table.get(ref))?.output ?? 'null')

const RETRY_NOT_YET = [{ ErrorEquals: ['Pending'], IntervalSeconds: 1, MaxAttempts: 5, BackoffRate: 1 }]
const CATCH_ALL = [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Undo' }]

describe('Engine.start', () => {
  it('runs a flow to its end and gives its Tasks what Lambda would', async () => {
    const seen: unknown[] = []
    const states = { Work: task('Work', { Next: 'Done' }), Done: { Type: 'Succeed' } }
    const engine = lab.engine(definitionsOf(states), {
      [FLOW]: async (payload) => {
        seen.push(payload)
        return { done: true, dropped: undefined }
      },
    })
    const ref = freshRef()
    await engine.start(ref, INPUT)
    expect(await ended(engine, ref)).toBe('succeeded')
    expect(seen).toEqual([{ flow: FLOW, step: 'Work', state: INPUT }])
    expect(await outputOf(ref)).toEqual({ ...INPUT, progress: { done: true, status: 200 } })
  })

  it('loops through Choice and Wait until a step is done', async () => {
    let calls = 0
    const states = {
      Work: task('Work', { Next: 'Check' }),
      Check: {
        Type: 'Choice',
        Choices: [{ Variable: '$.progress.done', BooleanEquals: true, Next: 'Done' }],
        Default: 'Pause',
      },
      Pause: { Type: 'Wait', Seconds: 1, Next: 'Work' },
      Done: { Type: 'Succeed' },
    }
    const engine = lab.engine(definitionsOf(states), { [FLOW]: async () => ({ done: ++calls === 2 }) })
    const ref = freshRef()
    const before = Date.now()
    await engine.start(ref, INPUT)
    expect(await ended(engine, ref)).toBe('succeeded')
    expect(calls).toBe(2)
    expect(Date.now() - before).toBeGreaterThanOrEqual(1000)
  })

  it('starts a name once, at the same time, again while it runs, and again when it is over', async () => {
    let calls = 0
    const hold = gate()
    const states = { Work: task('Work', { End: true }) }
    const engine = lab.engine(definitionsOf(states), {
      [FLOW]: async () => {
        calls += 1
        await hold.passed
        return { done: true }
      },
    })
    const ref = freshRef()
    await Promise.all([engine.start(ref, INPUT), engine.start(ref, INPUT)])
    await until(() => calls === 1)
    await engine.start(ref, INPUT)
    hold.open()
    await ended(engine, ref)
    await engine.start(ref, { ...INPUT, attempt: 2 })
    expect(await engine.describe(ref)).toBe('succeeded')
    expect(calls).toBe(1)
  })

  it('says not-found for a name that was never started', async () => {
    const engine = lab.engine(definitionsOf({ Done: { Type: 'Succeed' } }), { [FLOW]: async () => ({}) })
    expect(await engine.describe(freshRef())).toBe('not-found')
  })

  it('refuses a flow without a state machine and leaves no record', async () => {
    const engine = lab.engine({}, { [FLOW]: async () => ({}) })
    const ref = freshRef()
    await expect(engine.start(ref, INPUT)).rejects.toThrow(/no state machine/)
    expect(await engine.describe(ref)).toBe('not-found')
  })
})

describe('errors of steps', () => {
  it('are retried by their name', async () => {
    let calls = 0
    const states = { Work: task('Work', { Retry: RETRY_NOT_YET, End: true }) }
    const engine = lab.engine(definitionsOf(states), {
      [FLOW]: async () => {
        calls += 1
        if (calls < 2) throw new Pending('Not yet.')
        return { done: true }
      },
    })
    const ref = freshRef()
    await engine.start(ref, INPUT)
    expect(await ended(engine, ref)).toBe('succeeded')
    expect(calls).toBe(2)
  })

  it('reach Catch with their name and a Cause as Lambda writes it', async () => {
    const states = {
      Work: task('Work', { Retry: RETRY_NOT_YET, Catch: CATCH_ALL, Next: 'Done' }),
      Undo: task('Undo', { End: true }),
      Done: { Type: 'Succeed' },
    }
    const engine = lab.engine(definitionsOf(states), {
      [FLOW]: async (payload) => {
        if ((payload as Payload).step === 'Work') throw new Broken('It is broken.')
        return { done: true }
      },
    })
    const ref = freshRef()
    await engine.start(ref, INPUT)
    expect(await ended(engine, ref)).toBe('succeeded')
    const { error } = await outputOf(ref)
    expect(error.Error).toBe('Broken')
    expect(JSON.parse(error.Cause)).toEqual({ errorType: 'Broken', errorMessage: 'It is broken.' })
  })

  it('end the execution when nothing catches them, and are reported', async () => {
    const told: { ref: ExecutionRef; end: ExecutionEnd }[] = []
    const engine = lab.engine(
      definitionsOf({ Work: task('Work', { End: true }) }),
      { [FLOW]: async () => Promise.reject(new Broken('It is broken.')) },
      (ref, end) => told.push({ ref, end }),
    )
    const ref = freshRef()
    await engine.start(ref, INPUT)
    expect(await ended(engine, ref)).toBe('failed')
    const cause = JSON.stringify({ errorType: 'Broken', errorMessage: 'It is broken.' })
    expect(await lab.table.get(ref)).toMatchObject({ status: 'FAILED', error: 'Broken', cause })
    await until(() => told.length > 0)
    expect(told).toEqual([{ ref, end: { status: 'FAILED', error: 'Broken', cause } }])
  })

  it('are States.Timeout for a Task that takes too long', async () => {
    const hold = gate()
    const states = {
      Work: task('Work', { TimeoutSeconds: 1, Catch: CATCH_ALL, Next: 'Done' }),
      Undo: { Type: 'Succeed' },
      Done: { Type: 'Fail' },
    }
    const engine = lab.engine(definitionsOf(states), { [FLOW]: () => hold.passed })
    const ref = freshRef()
    await engine.start(ref, INPUT)
    expect(await ended(engine, ref)).toBe('succeeded')
    hold.open()
    expect((await outputOf(ref)).error.Error).toBe('States.Timeout')
  })

  it('are beyond Catch when the answer is larger than a state may be', async () => {
    const states = { Work: task('Work', { Catch: CATCH_ALL, End: true }), Undo: { Type: 'Succeed' } }
    const engine = lab.engine(definitionsOf(states), { [FLOW]: async () => ({ done: 'x'.repeat(300_000) }) })
    const ref = freshRef()
    await engine.start(ref, INPUT)
    expect(await ended(engine, ref)).toBe('failed')
    expect((await lab.table.get(ref))?.error).toBe('States.DataLimitExceeded')
  })

  it('are a time-out of the whole execution past its TimeoutSeconds, after which no retry calls the step', async () => {
    let calls = 0
    const retry = [{ ErrorEquals: ['Pending'], IntervalSeconds: 60, MaxAttempts: 5 }]
    const states = { Work: task('Work', { Retry: retry, End: true }) }
    const engine = lab.engine(definitionsOf(states, { TimeoutSeconds: 1 }), {
      [FLOW]: async () => {
        calls += 1
        throw new Pending('Not yet.')
      },
    })
    const ref = freshRef()
    await engine.start(ref, INPUT)
    expect(await ended(engine, ref)).toBe('timed-out')
    await new Promise((resolve) => setImmediate(resolve))
    expect(calls).toBe(1)
  })
})

describe('Engine.stop', () => {
  it('ends an execution during a retry without another call of the step', async () => {
    let calls = 0
    const told: ExecutionEnd[] = []
    const states = {
      Work: task('Work', { Retry: RETRY_NOT_YET, Catch: CATCH_ALL, End: true }),
      Undo: task('Undo', { End: true }),
    }
    const engine = lab.engine(
      definitionsOf(states),
      {
        [FLOW]: async () => {
          calls += 1
          throw new Pending('Not yet.')
        },
      },
      (_ref, end) => told.push(end),
    )
    const ref = freshRef()
    await engine.start(ref, INPUT)
    await until(() => calls === 1)
    await engine.stop(ref, 'superseded')
    expect(await engine.describe(ref)).toBe('aborted')
    await engine.close()
    expect(calls).toBe(1)
    expect(await lab.table.get(ref)).toMatchObject({ status: 'ABORTED', cause: 'superseded' })
    expect(told).toEqual([{ status: 'ABORTED', cause: 'superseded' }])
  })

  it('keeps the end of an execution that is over, and minds no unknown name', async () => {
    const engine = lab.engine(definitionsOf({ Done: { Type: 'Succeed' } }), { [FLOW]: async () => ({}) })
    const ref = freshRef()
    await engine.start(ref, INPUT)
    await ended(engine, ref)
    await engine.stop(ref, 'too late')
    expect(await engine.describe(ref)).toBe('succeeded')
    await expect(engine.stop(freshRef(), 'unknown')).resolves.toBeUndefined()
  })

  it('keeps an execution from its first step when it comes between the record and the run', async () => {
    let calls = 0
    const states = { Begin: { Type: 'Pass', Next: 'Work' }, Work: task('Work', { End: true }) }
    const engine = lab.engine(definitionsOf(states), {
      [FLOW]: async () => {
        calls += 1
        return { done: true }
      },
    })
    const ref = freshRef()
    const { insert, checkpoint } = lab.table
    let refused = false
    lab.table.insert = async (record) => {
      const made = await insert.call(lab.table, record)
      await engine.stop(ref, 'superseded')
      return made
    }
    lab.table.checkpoint = async (...of) => {
      const stored = await checkpoint.apply(lab.table, of)
      refused ||= !stored
      return stored
    }
    await engine.start(ref, INPUT)
    await until(() => refused)
    Object.assign(lab.table, { insert, checkpoint })
    // Time enough for the call that must not come.
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(calls).toBe(0)
    expect(await engine.describe(ref)).toBe('aborted')
  })
})

describe('Engine.resume', () => {
  const states = {
    First: task('First', { Next: 'Second' }),
    Second: task('Second', { Retry: RETRY_NOT_YET, Next: 'Third' }),
    Third: task('Third', { End: true }),
  }

  it('goes on at the state that a crash interrupted, with its data, and repeats none before it', async () => {
    const former: string[] = []
    const never = gate()
    const crashed = lab.engine(definitionsOf(states), {
      [FLOW]: async (payload) => {
        const { step } = payload as Payload
        former.push(step)
        // The process dies here: nothing that comes after this is ever seen.
        if (step === 'Second') await never.passed
        return { done: step }
      },
    })
    const ref = freshRef()
    await crashed.start(ref, INPUT)
    await until(() => former.includes('Second'))

    const later: Payload[] = []
    const next = lab.engine(definitionsOf(states), {
      [FLOW]: async (payload) => {
        later.push(payload as Payload)
        return { done: (payload as Payload).step }
      },
    })
    expect(await next.resume()).toBe(1)
    expect(await ended(next, ref)).toBe('succeeded')
    expect(former).toEqual(['First', 'Second'])
    expect(later.map((payload) => payload.step)).toEqual(['Second', 'Third'])
    expect(later[0]?.state).toEqual({ ...INPUT, progress: { done: 'First', status: 200 } })
    expect((await lab.table.get(ref))?.resumed).toBe(1)
    never.open()
    await crashed.close()
    expect(await next.describe(ref)).toBe('succeeded')
  })

  it('calls no step before it is stored that the execution has come to it', async () => {
    const seen: string[] = []
    const hold = gate()
    const stored: string[] = []
    const { checkpoint } = lab.table
    lab.table.checkpoint = async (ref, to) => {
      if (to.at === 'Second') await hold.passed
      stored.push(to.at)
      return checkpoint.call(lab.table, ref, to)
    }
    const engine = lab.engine(definitionsOf(states), {
      [FLOW]: async (payload) => {
        const { step } = payload as Payload
        expect(stored).toContain(step)
        seen.push(step)
        return { done: step }
      },
    })
    const ref = freshRef()
    await engine.start(ref, INPUT)
    await until(() => seen.includes('First'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(seen).toEqual(['First'])
    hold.open()
    expect(await ended(engine, ref)).toBe('succeeded')
    Object.assign(lab.table, { checkpoint })
    expect(seen).toEqual(['First', 'Second', 'Third'])
  })

  it('takes up what close let go of', async () => {
    let calls = 0
    const waiting = { Work: task('Work', { Retry: RETRY_NOT_YET, End: true }) }
    const fail = async () => {
      calls += 1
      throw new Pending('Not yet.')
    }
    const first = lab.engine(definitionsOf(waiting), { [FLOW]: fail })
    const ref = freshRef()
    await first.start(ref, INPUT)
    await until(() => calls === 1)
    await first.close()
    expect(await first.describe(ref)).toBe('running')
    expect(calls).toBe(1)

    const second = lab.engine(definitionsOf(waiting), { [FLOW]: async () => ({ done: true }) })
    expect(await second.resume()).toBe(1)
    expect(await ended(second, ref)).toBe('succeeded')
    expect(await second.resume()).toBe(0)
  })

  it('leaves its own running executions alone', async () => {
    let calls = 0
    const hold = gate()
    const engine = lab.engine(definitionsOf({ Work: task('Work', { End: true }) }), {
      [FLOW]: async () => {
        calls += 1
        await hold.passed
        return { done: true }
      },
    })
    const ref = freshRef()
    await engine.start(ref, INPUT)
    expect(await engine.resume()).toBe(0)
    await until(() => calls > 0)
    hold.open()
    await ended(engine, ref)
    expect(calls).toBe(1)
  })

  it('begins anew where the interrupted state is no more', async () => {
    const never = gate()
    let reached = false
    const crashed = lab.engine(definitionsOf({ Old: task('Old', { End: true }) }), {
      [FLOW]: async () => {
        reached = true
        await never.passed
      },
    })
    const ref = freshRef()
    await crashed.start(ref, INPUT)
    await until(() => reached)
    const seen: string[] = []
    const next = lab.engine(definitionsOf({ New: task('New', { End: true }) }), {
      [FLOW]: async (payload) => {
        seen.push((payload as Payload).step)
        return { done: true }
      },
    })
    expect(await next.resume()).toBe(1)
    expect(await ended(next, ref)).toBe('succeeded')
    expect(seen).toEqual(['New'])
    never.open()
  })
})

describe('Engine.list and Engine.prune', () => {
  it('lists executions, and deletes closed ones past their retention only', async () => {
    const hold = gate()
    const engine = lab.engine(definitionsOf({ Work: task('Work', { End: true }) }), {
      [FLOW]: () => hold.passed.then(() => ({ done: true })),
    })
    const open = freshRef()
    await engine.start(open, INPUT)
    const closed = freshRef()
    await engine.start(closed, INPUT)
    await engine.stop(closed, 'test')
    expect((await engine.list()).filter((it) => it.name === open.name || it.name === closed.name)).toHaveLength(2)
    expect(await engine.prune()).toBe(0)
    const inAMonth = new Date(Date.now() + 30 * 24 * 3600 * 1000)
    expect(await lab.table.prune(inAMonth)).toBeGreaterThanOrEqual(1)
    expect(await engine.describe(closed)).toBe('not-found')
    expect(await engine.describe(open)).toBe('running')
    hold.open()
    expect(await ended(engine, open)).toBe('succeeded')
  })
})
