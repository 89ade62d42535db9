import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { FLOWS } from '../../functions/core/operation/operation.ts'
import { FLOW_STEPS } from '../../functions/flows/flow-handler.ts'
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
        (error) => !errors.has(error) && !/^(States|Lambda|Sandbox|Runtime)\.\w+$/.test(error),
      )
      expect(unknown, name).toEqual([])
    }
  })

  it('retries every retryable error in every Task, a bounded number of times, and no other of ours', () => {
    const retryable = [...errors].filter(([, yes]) => yes).map(([name]) => name)
    for (const [name, { Retry = [] }] of TASKS) {
      const retried = Retry.flatMap((rule) => rule.ErrorEquals)
      expect(retried.filter((error) => errors.has(error)).sort(), name).toEqual(retryable.sort())
      for (const rule of Retry) expect(rule.MaxAttempts, name).toBeLessThanOrEqual(5)
    }
  })

  it('has patience of minutes with a function that died and with a platform that is short of capacity', () => {
    const NAMES = ['Sandbox.Timedout', 'Runtime.ExitError', 'Lambda.Unknown', 'Lambda.TooManyRequestsException']
    const SERVICE = ['Lambda.ServiceException', 'Lambda.AWSLambdaException', 'Lambda.SdkClientException']
    for (const [name, { Retry = [] }] of TASKS) {
      const rule = Retry.find(({ ErrorEquals }) => ErrorEquals.includes('Sandbox.Timedout'))
      expect(rule?.ErrorEquals.toSorted(), name).toEqual([...NAMES, ...SERVICE].toSorted())
      const { IntervalSeconds = 0, BackoffRate = 1, MaxDelaySeconds = 0, MaxAttempts = 0 } = rule ?? {}
      const pauses = Array.from({ length: MaxAttempts }, (_, n) => IntervalSeconds * BackoffRate ** n)
      const longest = pauses.reduce((sum, pause) => sum + Math.min(pause, MaxDelaySeconds), 0)
      expect(longest, name).toBeGreaterThanOrEqual(180)
    }
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
