import { describe, expect, it } from 'vitest'
import { lintAsl } from '../../../local/engine/asl-lint.ts'

type Fields = Record<string, unknown>

const task = (extra: Fields = {}): Fields => ({
  Type: 'Task',
  Resource: 'arn:aws:states:::lambda:invoke',
  Parameters: {
    FunctionName: `\${StepFunctionArn}`,
    Payload: { flow: 'sample', step: 'Work', 'state.$': '$' },
  },
  ResultSelector: { 'progress.$': '$.Payload' },
  ResultPath: '$.progress',
  TimeoutSeconds: 90,
  Retry: [{ ErrorEquals: ['Lambda.ServiceException'], IntervalSeconds: 1, MaxAttempts: 3, BackoffRate: 2 }],
  Catch: [{ ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Broken' }],
  Next: 'Wait',
  ...extra,
})

/** A good definition with some states replaced or added. */
const definition = (states: Fields = {}, top: Fields = {}): Fields => ({
  StartAt: 'ChooseMode',
  States: {
    ChooseMode: {
      Type: 'Choice',
      Choices: [{ Variable: '$.mode', StringEquals: 'undo', Next: 'Broken' }],
      Default: 'Work',
    },
    Work: task(),
    Wait: { Type: 'Wait', SecondsPath: '$.progress.waitSeconds', Next: 'Done' },
    Done: { Type: 'Succeed' },
    Broken: { Type: 'Fail', Error: 'SampleFailed', CausePath: '$.error.Cause' },
    ...states,
  },
  ...top,
})

const withWork = (extra: Fields): Fields => definition({ Work: task(extra) })
const withPayload = (payload: Fields): Fields =>
  withWork({ Parameters: { FunctionName: `\${StepFunctionArn}`, Payload: payload } })
const withContext = (path: string): Fields =>
  withPayload({ flow: 'sample', step: 'Work', 'state.$': '$', 'extra.$': path })

/** Each rule with a definition that breaks it, and what the fault must name. */
const BROKEN: readonly [rule: string, definition: unknown, fault: RegExp][] = [
  ['no list for a definition', [], /must be a JSON object/],
  ['states', { StartAt: 'A', States: {} }, /States is missing or empty/],
  [
    'no JSONata for the whole machine',
    definition({}, { QueryLanguage: 'JSONata' }),
    /sample: QueryLanguage .*JSONPath/,
  ],
  ['no JSONata in a state', withWork({ QueryLanguage: 'JSONata' }), /sample\.Work: QueryLanguage/],
  ['no JSONata arguments', withWork({ Arguments: {} }), /sample\.Work: Arguments/],
  ['no JSONata output', withWork({ Output: {} }), /sample\.Work: Output/],
  ['no variables', withWork({ Assign: { a: 1 } }), /sample\.Work: Assign/],
  ['no Map', definition({ Done: { Type: 'Map', ItemProcessor: {}, End: true } }), /sample\.Done: Type Map/],
  [
    'no distributed Map',
    definition({ Done: { Type: 'Map', ItemProcessor: { ProcessorConfig: { Mode: 'DISTRIBUTED' } }, End: true } }),
    /sample\.Done: Type Map/,
  ],
  ['no Parallel', definition({ Done: { Type: 'Parallel', Branches: [], End: true } }), /sample\.Done: Type Parallel/],
  ['no unknown type', definition({ Done: { Type: 'Stop' } }), /sample\.Done: Type Stop/],
  ['no state without a type', definition({ Done: {} }), /sample\.Done: Type undefined/],
  ['no unknown field', definition({ Done: { Type: 'Succeed', Next: 'Work' } }), /sample\.Done: Next is not allowed/],
  ['no item reader', withWork({ ItemReader: {} }), /ItemReader/],
  ['no item batcher', withWork({ ItemBatcher: {} }), /ItemBatcher/],
  ['no concurrency path', withWork({ MaxConcurrencyPath: '$.n' }), /MaxConcurrencyPath/],
  ['no heartbeat', withWork({ HeartbeatSeconds: 5 }), /HeartbeatSeconds/],
  ['no heartbeat path', withWork({ HeartbeatSecondsPath: '$.n' }), /HeartbeatSecondsPath/],
  ['no time-out path on a Task', withWork({ TimeoutSecondsPath: '$.n' }), /TimeoutSecondsPath/],
  ['no credentials', withWork({ Credentials: { RoleArn: 'x' } }), /Credentials/],
  ['no task token', withWork({ Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken' }), /Resource must be/],
  ['no other integration', withWork({ Resource: 'arn:aws:states:::dynamodb:updateItem' }), /Resource must be/],
  ['a time-out on each Task', withWork({ TimeoutSeconds: undefined }), /sample\.Work: TimeoutSeconds is missing/],
  ['the own flow', withPayload({ flow: 'other', step: 'Work', 'state.$': '$' }), /Payload\.flow must be \$\{Flow\}/],
  ['the own step', withPayload({ flow: 'sample', step: 'Other', 'state.$': '$' }), /Payload\.step must be "Work"/],
  ['the whole data', withPayload({ flow: 'sample', step: 'Work' }), /"state\.\$": "\$"/],
  ['not the whole context', withContext('$$'), /\$\$ is not the same everywhere/],
  ['no Execution.Input', withContext('$$.Execution.Input'), /\$\$\.Execution\.Input/],
  ['no context in an intrinsic', withContext("States.Format('{}', $$.State.Name)"), /\$\$\.State\.Name/],
  [
    'no context in a choice',
    definition({
      ChooseMode: {
        Type: 'Choice',
        Choices: [{ Variable: '$$.Map.Item.Index', NumericEquals: 1, Next: 'Work' }],
        Default: 'Work',
      },
    }),
    /\$\$\.Map\.Item\.Index/,
  ],
  ['no long machine', definition({}, { TimeoutSeconds: 2_000_001 }), /TimeoutSeconds 2000001 is over/],
  ['no long Task', withWork({ TimeoutSeconds: 2_000_001 }), /TimeoutSeconds 2000001/],
  ['no long Wait', definition({ Wait: { Type: 'Wait', Seconds: 2_000_001, Next: 'Done' } }), /Seconds 2000001/],
  ['no long retry', withWork({ Retry: [{ ErrorEquals: ['A'], IntervalSeconds: 2_000_001 }] }), /IntervalSeconds/],
  ['no long delay', withWork({ Retry: [{ ErrorEquals: ['A'], MaxDelaySeconds: 2_000_001 }] }), /MaxDelaySeconds/],
  ['no unknown substitution', withWork({ Comment: `\${TableName}` }), /\$\{TableName\} is left over/],
  ['no half substitution', withWork({ Comment: `\${TableName` }), /is left over/],
  [
    'States.ALL last in Catch',
    withWork({
      Catch: [
        { ErrorEquals: ['States.ALL'], ResultPath: '$.error', Next: 'Broken' },
        { ErrorEquals: ['A'], ResultPath: '$.error', Next: 'Broken' },
      ],
    }),
    /sample\.Work\.Catch\[0\]: States\.ALL must be the last/,
  ],
  [
    'States.ALL last in Retry',
    withWork({ Retry: [{ ErrorEquals: ['States.ALL'] }, { ErrorEquals: ['A'] }] }),
    /sample\.Work\.Retry\[0\]: States\.ALL must be the last/,
  ],
  ['States.ALL alone', withWork({ Retry: [{ ErrorEquals: ['A', 'States.ALL'] }] }), /States\.ALL must stand alone/],
  ['no unknown field of Retry', withWork({ Retry: [{ ErrorEquals: ['A'], Delay: 1 }] }), /Retry\[0\]: Delay/],
  [
    'no unknown field of Catch',
    withWork({ Catch: [{ ErrorEquals: ['A'], ResultPath: '$.error', Next: 'Broken', Assign: {} }] }),
    /Catch\[0\]: Assign/,
  ],
  [
    'data that outlives an error',
    withWork({ Catch: [{ ErrorEquals: ['A'], Next: 'Broken' }] }),
    /Catch\[0\]: ResultPath is missing/,
  ],
  [
    'no intrinsic in a Fail path',
    definition({ Broken: { Type: 'Fail', Error: 'X', CausePath: "States.Format('{}', $.a)" } }),
    /CausePath takes no intrinsic/,
  ],
  [
    'a default in each Choice',
    definition({ ChooseMode: { Type: 'Choice', Choices: [{ Variable: '$.a', IsNull: true, Next: 'Work' }] } }),
    /sample\.ChooseMode: Default is missing/,
  ],
]

describe('lintAsl', () => {
  it('finds no fault in a good definition', () => {
    expect(lintAsl('sample', definition())).toEqual([])
  })

  it.each(BROKEN)('wants %s', (_, broken, fault) => {
    const faults = lintAsl('sample', broken)
    expect(faults.join('\n')).toMatch(fault)
  })

  it('knows no substitution once they have been filled in', () => {
    expect(lintAsl('sample', definition(), [])).toEqual([expect.stringMatching(/\$\{StepFunctionArn\} is left over/)])
  })

  it('allows the context values that are the same everywhere', () => {
    expect(lintAsl('sample', withContext("States.Format('{}', $$.Execution.Name)"))).toEqual([])
  })
})
