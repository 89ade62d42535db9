/**
 * Rules for our state machines beyond what asl-validator checks. They keep a definition within what AWS, MiniStack and the embedded
 * engine do alike: a feature that one of them ignores silently is refused here. Used by the tests and by the engine at load.
 *
 * No import of a package: it is loaded at each `npm start`.
 */

type Fields = Record<string, unknown>

/** What infra and the engine fill in, for each flow: its name, and the Lambda function of all steps. */
export const SUBSTITUTIONS = ['StepFunctionArn', 'Flow'] as const

/** Stands for the flow's name until that is filled in. */
const FLOW_PLACE = `\${${SUBSTITUTIONS[1]}}`

/** The one service integration in use: it works on AWS, in MiniStack and in the engine. */
const TASK_RESOURCE = 'arn:aws:states:::lambda:invoke'

/** Longest duration in a definition, seconds: the engine's 32-bit timers fire at once beyond 2,147,483. */
const DURATION_MAX_SECONDS = 2_000_000

const COMMON = ['Type', 'Comment', 'InputPath', 'OutputPath']
const ENDS = ['Next', 'End']

/** Allowed state types with their allowed fields (JSONPath dialect). What is not here is refused. */
const STATE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Task: [
    ...COMMON,
    ...ENDS,
    'Resource',
    'Parameters',
    'ResultSelector',
    'ResultPath',
    'TimeoutSeconds',
    'Retry',
    'Catch',
  ],
  Choice: [...COMMON, 'Choices', 'Default'],
  Wait: [...COMMON, ...ENDS, 'Seconds', 'SecondsPath', 'Timestamp', 'TimestampPath'],
  Pass: [...COMMON, ...ENDS, 'Parameters', 'Result', 'ResultPath'],
  Succeed: COMMON,
  Fail: ['Type', 'Comment', 'Error', 'Cause', 'ErrorPath', 'CausePath'],
}
const TOP_FIELDS = ['Comment', 'StartAt', 'States', 'Version', 'TimeoutSeconds']
const RETRY_FIELDS = [
  'Comment',
  'ErrorEquals',
  'IntervalSeconds',
  'MaxAttempts',
  'BackoffRate',
  'MaxDelaySeconds',
  'JitterStrategy',
]
const CATCH_FIELDS = ['Comment', 'ErrorEquals', 'ResultPath', 'Next']

/** Why a field is refused, where "not allowed" would leave the reader guessing. */
const WHY: Readonly<Record<string, string>> = {
  QueryLanguage: 'the engine ignores JSONata silently: use JSONPath',
  Assign: 'neither MiniStack nor the engine has variables',
  Arguments: 'JSONata only: use Parameters',
  Output: 'JSONata only: use ResultSelector and ResultPath',
  HeartbeatSeconds: 'MiniStack and the engine ignore heartbeats',
  HeartbeatSecondsPath: 'MiniStack and the engine ignore heartbeats',
  TimeoutSecondsPath: 'MiniStack ignores it: use TimeoutSeconds',
  Credentials: 'MiniStack and the engine ignore it: assume the role in the step',
}
const WHY_TYPE: Readonly<Record<string, string>> = {
  Map: 'siblings stop on AWS and go on elsewhere: start one execution per item',
  Parallel: 'branches stop on AWS and go on elsewhere: start one execution per branch',
}

/** Context object values that all three pass: others are null or an error somewhere. */
const CONTEXT_PATHS = ['$$.Execution.Id', '$$.Execution.Name', '$$.Execution.StartTime']

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
const listOf = (value: unknown): Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : [])

/** Every value inside, with the name of the field that holds it. */
const walk = function* (value: unknown, field = ''): Generator<{ field: string; value: unknown }> {
  yield { field, value }
  if (Array.isArray(value)) for (const item of value) yield* walk(item, field)
  else if (isFields(value)) for (const [name, inner] of Object.entries(value)) yield* walk(inner, name)
}

const unknownFields = (where: string, fields: Fields, allowed: readonly string[]): string[] =>
  Object.keys(fields)
    .filter((field) => !allowed.includes(field))
    .map((field) => `${where}: ${field} is not allowed${field in WHY ? ` (${WHY[field]})` : ''}`)

/** `States.ALL` stands alone and last: AWS refuses the rest at deploy, asl-validator does not. */
const catchAllLast = (where: string, entries: readonly Fields[]): string[] =>
  entries.flatMap((entry, index) => {
    const names = Array.isArray(entry.ErrorEquals) ? entry.ErrorEquals : []
    if (!names.includes('States.ALL')) return []
    const faults = names.length > 1 ? [`${where}[${index}]: States.ALL must stand alone in ErrorEquals`] : []
    return index < entries.length - 1 ? [...faults, `${where}[${index}]: States.ALL must be the last entry`] : faults
  })

const lostData = (where: string): string =>
  `${where}: ResultPath is missing, so the error would replace the state's data`

const retryAndCatch = (where: string, state: Fields): string[] => {
  const retry = listOf(state.Retry)
  const caught = listOf(state.Catch)
  return [
    ...retry.flatMap((entry, index) => unknownFields(`${where}.Retry[${index}]`, entry, RETRY_FIELDS)),
    ...caught.flatMap((entry, index) => unknownFields(`${where}.Catch[${index}]`, entry, CATCH_FIELDS)),
    ...caught.flatMap((entry, index) => (entry.ResultPath === undefined ? [lostData(`${where}.Catch[${index}]`)] : [])),
    ...catchAllLast(`${where}.Retry`, retry),
    ...catchAllLast(`${where}.Catch`, caught),
  ]
}

/** A Task calls the function of all steps and tells it which step of which flow it is. */
const taskFaults = (flow: string, name: string, state: Fields): string[] => {
  const where = `${flow}.${name}`
  const payload = fieldsOf(fieldsOf(state.Parameters).Payload)
  const faults: string[] = []
  if (state.Resource !== TASK_RESOURCE) {
    faults.push(`${where}: Resource must be ${TASK_RESOURCE}, got ${JSON.stringify(state.Resource)}`)
  }
  if (typeof state.TimeoutSeconds !== 'number') faults.push(`${where}: TimeoutSeconds is missing`)
  if (payload.flow !== flow && payload.flow !== FLOW_PLACE) {
    faults.push(`${where}: Parameters.Payload.flow must be ${FLOW_PLACE}`)
  }
  if (payload.step !== name) faults.push(`${where}: Parameters.Payload.step must be ${JSON.stringify(name)}`)
  if (payload['state.$'] !== '$') faults.push(`${where}: Parameters.Payload must have "state.$": "$"`)
  return [...faults, ...retryAndCatch(where, state)]
}

const failFaults = (where: string, state: Fields): string[] =>
  ['ErrorPath', 'CausePath']
    .filter((field) => String(state[field] ?? '').startsWith('States.'))
    .map((field) => `${where}: ${field} takes no intrinsic function (the engine fails on it)`)

const stateFaults = (flow: string, name: string, state: Fields): string[] => {
  const where = `${flow}.${name}`
  const type = String(state.Type)
  const allowed = STATE_FIELDS[type]
  if (!allowed) return [`${where}: Type ${type} is not allowed${type in WHY_TYPE ? ` (${WHY_TYPE[type]})` : ''}`]
  const faults = unknownFields(where, state, allowed)
  if (type === 'Task') faults.push(...taskFaults(flow, name, state))
  if (type === 'Fail') faults.push(...failFaults(where, state))
  if (type === 'Choice' && state.Default === undefined) {
    faults.push(
      `${where}: Default is missing, so data that no rule matches would end in an error that nothing can catch`,
    )
  }
  return faults
}

const DURATIONS = ['TimeoutSeconds', 'Seconds', 'IntervalSeconds', 'MaxDelaySeconds']

const durationFault = (field: string, value: unknown): string | undefined =>
  DURATIONS.includes(field) && typeof value === 'number' && value > DURATION_MAX_SECONDS
    ? `${field} ${value} is over ${DURATION_MAX_SECONDS} seconds`
    : undefined

/** `$$…` in a path or inside an intrinsic function's arguments. */
const contextFault = (field: string, value: unknown): string | undefined => {
  if (typeof value !== 'string' || !(field.endsWith('.$') || field.endsWith('Path') || field === 'Variable')) return
  const bad = (value.match(/\$\$[\w.[\]*@]*/g) ?? []).find((path) => !CONTEXT_PATHS.includes(path))
  return bad && `${bad} is not the same everywhere; allowed of the context object: ${CONTEXT_PATHS.join(', ')}`
}

const substitutionFault = (value: unknown, allowed: readonly string[]): string | undefined => {
  if (typeof value !== 'string') return
  const bad = [...value.matchAll(/\$\{([^}]*)\}?/g)].map((match) => match[1] ?? '').find((it) => !allowed.includes(it))
  return bad === undefined ? undefined : `\${${bad}} is left over; known substitutions: ${allowed.join(', ') || 'none'}`
}

const valueFaults = (flow: string, definition: unknown, substitutions: readonly string[]): string[] =>
  [...walk(definition)].flatMap(({ field, value }) =>
    [durationFault(field, value), contextFault(field, value), substitutionFault(value, substitutions)]
      .filter((fault) => fault !== undefined)
      .map((fault) => `${flow}: ${fault}`),
  )

/**
 * Faults of a state machine's definition, a sentence each; none when it is good.
 *
 * @param name the flow, once its name has been filled in; else the file's name
 * @param substitutions `${NAME}` that may stand in the text; give `[]` once they have been filled in
 */
export const lintAsl = (
  name: string,
  definition: unknown,
  substitutions: readonly string[] = SUBSTITUTIONS,
): string[] => {
  if (!isFields(definition)) return [`${name}: the definition must be a JSON object`]
  const states = Object.entries(fieldsOf(definition.States))
  return [
    ...unknownFields(name, definition, TOP_FIELDS),
    ...(states.length === 0 ? [`${name}: States is missing or empty`] : []),
    ...states.flatMap(([state, fields]) => stateFaults(name, state, fieldsOf(fields))),
    ...valueFaults(name, definition, substitutions),
  ]
}
