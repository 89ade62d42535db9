import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { FLOWS, type Flow } from '../../functions/domain/operation.ts'
import { FLOW_STEPS } from '../../functions/steps/flows.ts'
import { TIMEOUT_SECONDS } from '../../infra/limits.ts'

const root = path.join(import.meta.dirname, '../..')

type Rule = { ErrorEquals: string[]; Next: string }
type State = {
  Type: string
  Next?: string
  Default?: string
  Choices?: { Variable: string; Next: string }[]
  Retry?: (Rule & { MaxAttempts: number })[]
  Catch?: Rule[]
  TimeoutSeconds?: number
}
type Machine = { StartAt: string; States: Record<string, State> }

const textOf = (flow: Flow): string => readFileSync(path.join(root, 'statemachines', flow, 'flow.asl.json'), 'utf8')
const machineOf = (flow: Flow): Machine => JSON.parse(textOf(flow))
const tasksOf = (flow: Flow): [string, State][] =>
  Object.entries(machineOf(flow).States).filter(([, state]) => state.Type === 'Task')

/** Where errors are that never come out of a step. */
const ELSEWHERE = ['functions/api/**', 'functions/authorizer/**', 'functions/runtime/stack-answer.ts']

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

/** States of a run in which each step is done at its first look, or at its second where `waits` asks for one Wait there. */
const happyPath = (flow: Flow, waits: number): string[] => {
  const { StartAt, States } = machineOf(flow)
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

const LOOPS: Flow[] = [
  'cluster-create',
  'cluster-update',
  'cluster-delete',
  'federation-create',
  'federation-update',
  'federation-delete',
  'federation-rotate',
]

describe('state machines', () => {
  it('have one shape where a driver shapes the flow', () => {
    const shapeOf = (flow: Flow) => ({ ...JSON.parse(textOf(flow).replaceAll(`"${flow}"`, '"FLOW"')), Comment: '' })
    for (const flow of LOOPS) expect(shapeOf(flow), flow).toEqual(shapeOf('federation-create'))
  })

  it('need at most 15 transitions for a join and 40 for a federation, waits included', () => {
    expect(happyPath('member-join', 0).length).toBeLessThanOrEqual(12)
    expect(happyPath('member-join', 1).length).toBeLessThanOrEqual(15)
    expect(happyPath('federation-create', 0)).toEqual([
      'ChooseMode',
      'RunPhase',
      'PhaseDone',
      'RecordSuccess',
      'Succeeded',
    ])
    // Eleven waits of 5 s after 10 s of polling each: a control plane may take almost three minutes.
    expect(happyPath('federation-create', 11).length).toBeLessThanOrEqual(40)
  })
})

describe.each(FLOWS)('state machine %s', (flow) => {
  it('has a step for each Task, and a Task for each step', () => {
    expect(
      tasksOf(flow)
        .map(([name]) => name)
        .sort(),
    ).toEqual(Object.keys(FLOW_STEPS[flow]).sort())
  })

  it('names only errors that exist', () => {
    for (const [name, { Retry = [], Catch = [] }] of tasksOf(flow)) {
      const named = [...Retry, ...Catch].flatMap((rule) => rule.ErrorEquals)
      const unknown = named.filter((error) => !errors.has(error) && !/^(States|Lambda)\.\w+$/.test(error))
      expect(unknown, name).toEqual([])
    }
  })

  it('retries every retryable error in every Task, a bounded number of times, and no other of ours', () => {
    const retryable = [...errors].filter(([, yes]) => yes).map(([name]) => name)
    for (const [name, { Retry = [] }] of tasksOf(flow)) {
      const retried = Retry.flatMap((rule) => rule.ErrorEquals)
      expect(retried.filter((error) => errors.has(error)).sort(), name).toEqual(retryable.sort())
      for (const rule of Retry) expect(rule.MaxAttempts, name).toBeLessThanOrEqual(5)
    }
  })

  it('goes to Superseded and writes nothing when another operation took over', () => {
    for (const [name, { Catch = [] }] of tasksOf(flow)) {
      expect(Catch[0], name).toMatchObject({ ErrorEquals: ['OperationSuperseded'], Next: 'Superseded' })
    }
  })

  it('gives each Task longer than its function has', () => {
    for (const [name, { TimeoutSeconds = 0 }] of tasksOf(flow)) {
      expect(TimeoutSeconds, name).toBeGreaterThan(TIMEOUT_SECONDS.step)
    }
  })

  it('catches everything but in the Task that records the failure', () => {
    const uncaught = tasksOf(flow).filter(
      ([, { Catch = [] }]) => !Catch.some((rule) => rule.ErrorEquals.includes('States.ALL')),
    )
    expect(uncaught.map(([name]) => name)).toEqual([expect.stringMatching(/^Record\w*Failure$/)])
  })
})
