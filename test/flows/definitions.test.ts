import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { DEADLINE_SECONDS } from '../../functions/core/operation/deadlines.ts'
import { FLOWS } from '../../functions/core/operation/operation.ts'
import { FLOW_STEPS } from '../../functions/flows/flow-handler.ts'
import { STEPS_MAX } from '../../functions/flows/progress.ts'
import { TIMEOUT_SECONDS } from '../../infra/limits.ts'

const root = path.join(import.meta.dirname, '../..')

type Rule = { ErrorEquals: string[]; Next: string }
type Retry = Rule & {
  MaxAttempts: number
  IntervalSeconds: number
  BackoffRate?: number
  MaxDelaySeconds?: number
}
type State = {
  Type: string
  Next?: string
  Default?: string
  Choices?: { Variable: string; Next: string }[]
  Retry?: Retry[]
  Catch?: Rule[]
  TimeoutSeconds?: number
}
type Machine = { StartAt: string; States: Record<string, State> }

const MACHINE: Machine = JSON.parse(readFileSync(path.join(root, 'statemachines/operation.asl.json'), 'utf8'))
const TASKS = Object.entries(MACHINE.States).filter(([, state]) => state.Type === 'Task')

/** Where errors are that never come out of a step. */
const ELSEWHERE = ['functions/api/**', 'functions/authorizer/**', 'functions/runtime/aws-clients.ts']

/** Our error classes, by their source: name → retryable. */
const errors = new Map(
  globSync('functions/**/*.ts', { cwd: root, exclude: ELSEWHERE })
    .flatMap((file) =>
      readFileSync(path.join(root, file), 'utf8')
        .split(/^export class /m)
        .slice(1),
    )
    .flatMap((body): [string, boolean][] => {
      const own = body.split(/^}/m)[0] ?? ''
      const name = /override readonly name = '(\w+)'/.exec(own)?.[1]
      return name === undefined ? [] : [[name, /override readonly retryable = true/.test(own)]]
    }),
)

/** States of a run in which each step is done at its first observation, or at its second where `waits` asks for one Wait there. */
const happyPath = (waits: number): string[] => {
  const { StartAt, States } = MACHINE
  const entered: string[] = []
  let left = waits
  for (let at: string | undefined = StartAt; at !== undefined; ) {
    entered.push(at)
    const state: State = States[at]!
    const isDone = state.Choices?.[0]?.Variable === '$.result.progress.done'
    if (isDone && left-- <= 0) at = state.Choices?.[0]?.Next
    else at = state.Next ?? state.Default
  }
  return entered
}

describe('the state machine of every flow', () => {
  it('needs at most 15 transitions for a join and 40 for a federation, waits included', () => {
    expect(happyPath(0)).toEqual(['ChooseMode', 'RunPhase', 'PhaseDone', 'RecordSuccess', 'Succeeded'])
    expect(happyPath(1).length).toBeLessThanOrEqual(15)
    // Eleven waits of 5 s after 10 s of polling each: a control plane may take almost three minutes.
    expect(happyPath(11).length).toBeLessThanOrEqual(40)
  })

  it.each(FLOWS)('has a step of %s for each Task, and a Task for each step', (flow) => {
    expect(TASKS.map(([name]) => name).sort()).toEqual(Object.keys(FLOW_STEPS[flow]).sort())
  })

  it('names only errors that exist', () => {
    for (const [name, { Retry = [], Catch = [] }] of TASKS) {
      const named = [...Retry, ...Catch].flatMap((rule) => rule.ErrorEquals)
      const unknown = named.filter(
        (error) => !errors.has(error) && !/^(States|Lambda|Sandbox|Runtime|Extension)\.\w+$/.test(error),
      )
      expect(unknown, name).toEqual([])
    }
  })

  it('retries every retryable error in every Task, and no other of ours', () => {
    const retryable = [...errors].filter(([, yes]) => yes).map(([name]) => name)
    for (const [name, { Retry = [] }] of TASKS) {
      const retried = Retry.flatMap((rule) => rule.ErrorEquals)
      expect(retried.filter((error) => errors.has(error)).sort(), name).toEqual(retryable.sort())
    }
  })

  it('tries again in the same way in every Task, and takes no name twice', () => {
    for (const [name, { Retry = [] }] of TASKS) {
      expect(Retry, name).toEqual(MACHINE.States.RunPhase?.Retry)
      const names = Retry.flatMap((rule) => rule.ErrorEquals)
      expect(new Set(names).size, name).toBe(names.length)
    }
  })

  /** Seconds that a rule waits at most, in all. */
  const patience = ({ IntervalSeconds, BackoffRate = 1, MaxDelaySeconds = 0, MaxAttempts }: Retry): number =>
    Array.from({ length: MaxAttempts }, (_, n) => Math.min(IntervalSeconds * BackoffRate ** n, MaxDelaySeconds)).reduce(
      (sum, pause) => sum + pause,
      0,
    )
  const ruleOf = (error: string): Retry | undefined =>
    MACHINE.States.RunPhase?.Retry?.find(({ ErrorEquals }) => ErrorEquals.includes(error))

  it.each(['StoreBusy', 'KeyServiceUnavailable', 'ExecutionsUnavailable', 'Lambda.TooManyRequestsException'])(
    'waits for %s longer than any flow may take that is not a create of machines',
    (error) => {
      const { 'cluster-create': _, ...others } = DEADLINE_SECONDS
      // Full jitter: half of it in the mean.
      expect(patience(ruleOf(error)!) / 2).toBeGreaterThan(Math.max(...Object.values(others)))
    },
  )

  it.each(['Sandbox.Timedout', 'Runtime.ExitError', 'Runtime.OutOfMemory', 'Lambda.Unknown'])(
    'waits for minutes after %s, and no longer: it may be each time',
    (error) => {
      expect(patience(ruleOf(error)!)).toBeGreaterThanOrEqual(180)
      expect(ruleOf(error)?.MaxAttempts).toBeLessThanOrEqual(5)
    },
  )

  it('has room in its history for all steps of an execution, and for all that is tried again', () => {
    const retries = Math.max(...(MACHINE.States.RunPhase?.Retry ?? []).map(({ MaxAttempts }) => MaxAttempts))
    expect(9 * STEPS_MAX + 3 * retries).toBeLessThan(25_000)
  })

  it('records a success again, whatever is tried again came of it', () => {
    const [, again] = MACHINE.States.RecordSuccess?.Catch ?? []
    const retried = MACHINE.States.RecordSuccess?.Retry?.flatMap((rule) => rule.ErrorEquals)
    expect(again).toMatchObject({ Next: 'WaitToRecord', ErrorEquals: retried })
  })

  it('is told whole in the table of errors of its README', () => {
    const readme = readFileSync(path.join(root, 'statemachines/README.md'), 'utf8')
    const table = readme.split('## Errors of every flow')[1]?.split('\n\n')[1] ?? ''
    const named = [...table.matchAll(/`((?:States|Lambda|Sandbox|Runtime|Extension)\.\w+|[A-Z]\w+)`/g)].map(
      ([, it]) => it,
    )
    const retried = MACHINE.States.RunPhase?.Retry?.flatMap((rule) => rule.ErrorEquals) ?? []
    expect(retried.filter((error) => !named.includes(error))).toEqual([])
    const known = new Set([...retried, ...errors.keys(), ...Object.keys(MACHINE.States), 'Catch', 'FAILED'])
    expect(named.filter((it) => !known.has(it!) && !it!.startsWith('States.'))).toEqual([])
  })

  it('goes to Superseded and writes nothing when another operation took over', () => {
    for (const [name, { Catch = [] }] of TASKS) {
      expect(Catch[0], name).toMatchObject({ ErrorEquals: ['OperationSuperseded'], Next: 'Superseded' })
    }
  })

  it('gives each Task longer than its function has', () => {
    for (const [name, { TimeoutSeconds = 0 }] of TASKS) {
      expect(TimeoutSeconds, name).toBeGreaterThan(TIMEOUT_SECONDS.step)
    }
  })

  it('catches everything but in the Task that records the failure', () => {
    const uncaught = TASKS.filter(
      ([, { Catch = [] }]) => !Catch.some((rule) => rule.ErrorEquals.includes('States.ALL')),
    )
    expect(uncaught.map(([name]) => name)).toEqual(['RecordFailure'])
  })
})
