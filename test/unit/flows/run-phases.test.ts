import { afterEach, describe, expect, it, vi } from 'vitest'
import { OperationSuperseded } from '../../../functions/core/errors.ts'
import type { Operation } from '../../../functions/core/operation/operation.ts'
import type { BoundPhase, LoopSubject, PhaseResult } from '../../../functions/flows/loop.ts'
import { progressIn, progressOf } from '../../../functions/flows/progress.ts'
import { type Manner, runPhases } from '../../../functions/flows/run-phases.ts'
import type { StepPorts } from '../../../functions/flows/step.ts'
import { ConnectFailed } from '../../../functions/kubernetes/errors.ts'
import { keptLog } from '../../support/local/engine-lab.ts'

afterEach(() => vi.restoreAllMocks())

const NOW = '2026-01-01T00:00:00.000Z'
const FORWARDS: Manner = { act: (phase) => phase.ensure, lenient: false }
const LENIENT: Manner = { ...FORWARDS, lenient: true }

const phase = (id: string, ensure: () => Promise<PhaseResult>, more: Partial<BoundPhase> = {}): BoundPhase => ({
  id,
  title: `the ${id}`,
  deadlineSeconds: 60,
  ensure,
  ...more,
})
const done = async (): Promise<PhaseResult> => ({ done: true })
const fails = async (): Promise<PhaseResult> => {
  throw new ConnectFailed('The host does not answer.')
}
const superseded = async (): Promise<PhaseResult> => {
  throw new OperationSuperseded('Another one runs.')
}

const running = (phases: readonly BoundPhase[], manner = FORWARDS) => {
  const told: string[] = []
  const ports = { pollMs: 0, clock: { now: () => new Date(NOW) }, log: keptLog() } as unknown as StepPorts
  const subject: LoopSubject = {
    operation: { force: false, deadline: '2026-01-01T00:05:00.000Z' } as Operation,
    phases,
    report: async (text) => void told.push(text),
    close: () => undefined,
  }
  const run = (from: unknown = undefined) => runPhases(ports, subject, { phases, manner, from: progressIn('do', from) })
  return { run, told }
}

describe('runPhases', () => {
  it('goes through all phases in one step', async () => {
    const { run, told } = running([phase('a', done), phase('b', done)])
    expect(await run()).toMatchObject({ done: true, phase: null, position: 2, of: 2, waiting: null })
    expect(told).toEqual([])
  })

  it("says which phase waits, its position and what for, in the step's output and to the reader", async () => {
    const { run, told } = running([phase('a', done), phase('b', async () => ({ done: false, waitingFor: 'a node' }))])
    expect(await run()).toMatchObject({
      done: false,
      phase: 'b',
      position: 2,
      of: 2,
      waiting: 'a node',
      waitSeconds: 5,
    })
    expect(told).toEqual(['2/2 the b: waiting for a node'])
  })

  it.each([
    ['in an operation that passes over faults', LENIENT, {}],
    ['in a phase that may fail', FORWARDS, { isLenient: true }],
  ])('ends when another operation took over, %s', async (_, manner, more) => {
    const after = vi.fn(done)
    const { run } = running([phase('a', superseded, more), phase('b', after)], manner)
    await expect(run()).rejects.toMatchObject({ name: 'OperationSuperseded' })
    expect(after).not.toHaveBeenCalled()
  })

  it('reads the warnings that drivers and executions of the release before this one call remarks', async () => {
    const { run } = running([phase('a', async () => ({ done: true, remarks: ['Web stays.'] }))])
    expect(await run()).toMatchObject({ done: true, warnings: ['Web stays.'] })
    expect(progressOf({ remarks: ['Web stays.'] }).warnings).toEqual(['Web stays.'])
  })

  it('has what a phase said kept before the next one may fail', async () => {
    const { run } = running([phase('a', async () => ({ done: true, warnings: ['Web stays.'] })), phase('b', fails)])
    const kept = await run()
    expect(kept).toMatchObject({ done: false, phase: 'b', position: 2, warnings: ['Web stays.'], waitSeconds: 0 })
    await expect(run(kept)).rejects.toMatchObject({ name: 'ConnectFailed' })
  })

  it('begins no phase late in a step, so that its calls end in time', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const slow = async () => {
      now += 31_000
      return { done: true }
    }
    const { run } = running([phase('a', slow), phase('b', slow)])
    const first = await run()
    expect(first).toMatchObject({ done: false, phase: 'b', position: 2, waitSeconds: 0 })
    expect(await run(first)).toMatchObject({ done: true })
  })

  it('counts what a phase made as left behind when it is given up, in place of a note', async () => {
    const ref = { where: 'host', apiVersion: 'v1', kind: 'Secret', namespace: 'x', name: 'y', uid: 'u' } as const
    const { run } = running([phase('a', fails, { leftBehind: async () => [ref] })], LENIENT)
    const second = await run(await run())
    expect(second).toMatchObject({ done: false, tries: 2, waiting: 'another try after: The host does not answer.' })
    expect(await run(second)).toMatchObject({ done: true, leftovers: [ref], notes: [] })
  })
})

describe('progressIn', () => {
  it('begins at its beginning in the other direction, and keeps what drivers said', () => {
    const forwards = { ...progressOf({}), direction: 'do', phase: 'b', done: true, warnings: ['Web stays.'], tries: 2 }
    expect(progressIn('undo', forwards)).toEqual({ ...progressOf({}), direction: 'undo', warnings: ['Web stays.'] })
  })

  it('takes what an earlier release stored for a way forwards', () => {
    expect(progressIn('do', { phase: 'b', tries: 1 })).toMatchObject({ direction: 'do', phase: 'b', tries: 1 })
    expect(progressIn('undo', { phase: 'b', done: true })).toMatchObject({
      direction: 'undo',
      phase: null,
      done: false,
    })
  })
})
