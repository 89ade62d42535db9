import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { DEADLINE_SECONDS } from '../../functions/core/operation/deadlines.ts'
import { type ExecutionRef, executionName } from '../../functions/core/operation/operation.ts'
import { reconcile } from '../../functions/workers/reconciler/reconcile.ts'
import { createFederation, join, membership, registered } from '../support/flows/actions.ts'
import { type FlowLab, openFlowLab } from '../support/flows/flow-lab.ts'
import { ended, federationOf, settled } from '../support/flows/look.ts'
import { until } from '../support/local/engine-lab.ts'

const STEPS_MAX = 4

let lab: FlowLab
beforeAll(async () => {
  lab = await openFlowLab({ stepsMax: STEPS_MAX })
})
afterAll(() => lab.dispose())
beforeEach(() => lab.reset())

type Rule = { ErrorEquals: string[]; MaxAttempts?: number; Next?: string }
type Task = { Type: string; Retry: Rule[]; Catch: Rule[] }
const { States } = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../statemachines/operation.asl.json'), 'utf8'),
) as { States: Record<'RunPhase' | 'UndoPhase' | 'RecordSuccess' | 'RecordFailure', Task> }

/** Every name that the definition tries again, and how often. */
const RETRIED = States.RunPhase.Retry.flatMap(({ ErrorEquals, MaxAttempts = 0 }) =>
  ErrorEquals.map((name) => [name, MaxAttempts] as const),
)
/** Faults that a long outage consists of: more tries than any other fault has. */
const PATIENT = RETRIED.filter(([, tries]) => tries > 5).map(([name]) => name)

const fault = (name: string): Error => Object.assign(new Error('made by the test'), { name })

/** The step fails so often with the fault before it runs. */
const failing = (step: string, name: string, times: number): { failed: () => number } => {
  let failed = 0
  lab.intercept = async (called, run) => {
    if (called.step !== step || failed >= times) return run()
    failed += 1
    throw fault(name)
  }
  return { failed: () => failed }
}

/** The execution of another attempt. */
const nth = (ref: ExecutionRef, attempt: number): ExecutionRef => ({
  ...ref,
  name: ref.name.replace(/1$/, String(attempt)),
})

const federation = async (properties: Record<string, string> = {}) =>
  createFederation(lab, await registered(lab, 'host'), { properties })

describe('faults of the platform', () => {
  it.each(PATIENT)('%s of a phase is waited for, however long it lasts', async (name) => {
    const { failed } = failing('RunPhase', name, 40)
    const { id } = await federation()
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE' })
    expect(failed()).toBe(40)
  })

  it.each(RETRIED)('%s while success is recorded never leads to undo', async (name, tries) => {
    const { failed } = failing('RecordSuccess', name, tries > 5 ? 10 : 3 * (tries + 1))
    const { id, ref } = await federation()
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE' })
    expect(failed()).toBeGreaterThan(tries > 5 ? 9 : tries + 1)
    expect(lab.stepsOf(ref)).not.toContain('UndoPhase')
  })

  it.each(RETRIED.filter(([, tries]) => tries <= 5))('%s of a phase that lasts is undone', async (name) => {
    failing('RunPhase', name, Number.POSITIVE_INFINITY)
    const { id } = await federation()
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_FAILED' })
  })

  it.each(RETRIED)('%s of undo and of its record is survived', async (name) => {
    const done = new Set<string>()
    lab.intercept = async ({ step }, run) => {
      if (step === 'RunPhase') throw fault('StepFailed')
      if (done.has(step)) return run()
      done.add(step)
      throw fault(name)
    }
    const { id } = await federation()
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_FAILED', operation: null })
    expect([...done]).toEqual(['UndoPhase', 'RecordFailure'])
  })

  it('a fault of ours while success is recorded leads to undo', async () => {
    failing('RecordSuccess', 'StepFailed', Number.POSITIVE_INFINITY)
    const { id } = await federation()
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_FAILED' })
  })
})

describe('a success that could not be recorded by the deadline', () => {
  const outage = async () => {
    let over = false
    let tries = 0
    lab.intercept = async ({ step }, run) => {
      if (step !== 'RecordSuccess' || over) return run()
      tries += 1
      throw fault('StoreBusy')
    }
    const made = await federation()
    await until(() => tries > 2)
    lab.clock.advance((DEADLINE_SECONDS['federation-create'] + 90) * 1000)
    const end = () => {
      over = true
    }
    return { ...made, end }
  }

  it('is left to the execution while that runs', async () => {
    const { id, end } = await outage()
    const report = await reconcile(lab.ports)
    expect(report).toMatchObject({ undone: 0, started: 0 })
    expect(report.overdueSeconds).toBeGreaterThanOrEqual(90)
    end()
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE' })
  })

  it('is recorded by a further attempt when the execution is dead', async () => {
    const { id, ref, end } = await outage()
    await lab.engine.stop(ref, 'killed by the test')
    end()
    expect(await reconcile(lab.ports)).toMatchObject({ undone: 0, started: 1 })
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_COMPLETE' })
    expect(lab.stepsOf(nth(ref, 2))).not.toContain('UndoPhase')
  })
})

describe('an execution that grows long', () => {
  const NOT_READY = { state: 'not-ready', reason: 'NoLease', message: 'No call yet.' } as const

  it('hands over to another, which goes on where it was', async () => {
    const { id } = await federation()
    await settled(lab, id)
    const member = await registered(lab, 'member')
    lab.world.said.set(member, NOT_READY)
    const [ref] = await join(lab, id, [member])
    await until(() => lab.stepsOf(nth(ref!, 3)).length > 1)
    lab.world.said.delete(member)
    expect(await settled(lab, id)).toMatchObject({ status: 'UPDATE_COMPLETE', memberIds: [member] })
    expect(await membership(lab, id, member)).toMatchObject({ state: 'Ready' })
    expect(await ended(lab, ref!)).toBe('succeeded')
    expect(lab.stepsOf(ref!)).toHaveLength(STEPS_MAX)
    // It began in the phase where the one before it had been.
    expect(lab.world.calls.filter((call) => JSON.stringify(call).includes('prepare')).length).toBeLessThanOrEqual(2)
  })

  it('keeps its attempts: a death after many executions is undone, not given up', async () => {
    const { id, ref } = await federation({ 'memory-delay-seconds': '9999' })
    await until(() => lab.stepsOf(nth(ref, 5)).length > 0)
    const { operation } = await federationOf(lab, id)
    await lab.engine.stop({ ...ref, name: executionName(operation!) }, 'killed by the test')
    await until(async () => (await reconcile(lab.ports)).undone === 1)
    expect(await settled(lab, id)).toMatchObject({ status: 'CREATE_FAILED' })
    expect((await federationOf(lab, id)).statusReason).not.toMatch(/given up/)
  })
})
