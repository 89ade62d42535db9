/**
 * Rules for our state machines beyond what asl-validator checks. They keep the definition within what AWS, MiniStack and the embedded
 * engine do alike: a feature that one of them ignores silently is refused here. Used by the tests and by the engine at load.
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
const DURATIONS = ['TimeoutSeconds', 'Seconds', 'IntervalSeconds', 'MaxDelaySeconds']

/** Context object values that all three pass: others are null or an error somewhere. */
const CONTEXT_PATHS = ['$$.Execution.Id', '$$.Execution.Name', '$$.Execution.StartTime']

/** Allowed fields (JSONPath dialect) of the machine, of each allowed type of state, and of entries of Retry and Catch. What is not here is refused. */
const ALLOWED: Readonly<Record<string, string>> = {
  machine: 'Comment StartAt States Version TimeoutSeconds',
  Task: 'Type Comment InputPath OutputPath Next End Resource Parameters ResultSelector ResultPath TimeoutSeconds Retry Catch',
  Choice: 'Type Comment InputPath OutputPath Choices Default',
  Wait: 'Type Comment InputPath OutputPath Next End Seconds SecondsPath Timestamp TimestampPath',
  Pass: 'Type Comment InputPath OutputPath Next End Parameters Result ResultPath',
  Succeed: 'Type Comment InputPath OutputPath',
  Fail: 'Type Comment Error Cause ErrorPath CausePath',
  Retry: 'Comment ErrorEquals IntervalSeconds MaxAttempts BackoffRate MaxDelaySeconds JitterStrategy',
  Catch: 'Comment ErrorEquals ResultPath Next',
}

/** Why a field or type is refused, where "not allowed" would leave the reader guessing. */
const WHY: Readonly<Record<string, string>> = {
  QueryLanguage: 'the engine ignores JSONata silently: use JSONPath',
  Assign: 'neither MiniStack nor the engine has variables',
  HeartbeatSeconds: 'MiniStack and the engine ignore heartbeats',
  TimeoutSecondsPath: 'MiniStack ignores it: use TimeoutSeconds',
  Credentials: 'MiniStack and the engine ignore it: assume the role in the step',
  Map: 'siblings stop on AWS and go on elsewhere: start one execution per item',
  Parallel: 'branches stop on AWS and go on elsewhere: start one execution per branch',
}

const refused = (where: string, what: string, name = what): string =>
  `${where}: ${what} is not allowed${WHY[name] === undefined ? '' : ` (${WHY[name]})`}`

const unless = (holds: boolean, fault: string): string[] => (holds ? [] : [fault])
const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})

const unknownFields = (where: string, fields: Fields, allowed = ''): string[] =>
  Object.keys(fields).flatMap((field) => unless(allowed.split(' ').includes(field), refused(where, field)))

/** `States.ALL` stands alone and last: AWS refuses the rest at deploy, asl-validator does not. */
const entryFaults = (where: string, list: 'Retry' | 'Catch', entry: Fields, isLast: boolean): string[] => {
  const names = Array.isArray(entry.ErrorEquals) ? entry.ErrorEquals : []
  const isAll = names.includes('States.ALL')
  return [
    ...unknownFields(where, entry, ALLOWED[list]),
    ...unless(
      list === 'Retry' || entry.ResultPath !== undefined,
      `${where}: ResultPath is missing, so the error would replace the state's data`,
    ),
    ...unless(!isAll || names.length === 1, `${where}: States.ALL must stand alone in ErrorEquals`),
    ...unless(!isAll || isLast, `${where}: States.ALL must be the last entry`),
  ]
}

/** A Task calls the function of all steps and tells it which step of which flow it is. */
const taskFaults = (flow: string, name: string, state: Fields): string[] => {
  const where = `${flow}.${name}`
  const payload = fieldsOf(fieldsOf(state.Parameters).Payload)
  const isFlow = payload.flow === flow || payload.flow === FLOW_PLACE
  return [
    ...unless(
      state.Resource === TASK_RESOURCE,
      `${where}: Resource must be ${TASK_RESOURCE}, got ${JSON.stringify(state.Resource)}`,
    ),
    ...unless(typeof state.TimeoutSeconds === 'number', `${where}: TimeoutSeconds is missing`),
    ...unless(isFlow, `${where}: Parameters.Payload.flow must be ${FLOW_PLACE}`),
    ...unless(payload.step === name, `${where}: Parameters.Payload.step must be ${JSON.stringify(name)}`),
    ...unless(payload['state.$'] === '$', `${where}: Parameters.Payload must have "state.$": "$"`),
    ...(['Retry', 'Catch'] as const).flatMap((list) => {
      const entries = Array.isArray(state[list]) ? state[list].map(fieldsOf) : []
      return entries.flatMap((entry, at) =>
        entryFaults(`${where}.${list}[${at}]`, list, entry, at === entries.length - 1),
      )
    }),
  ]
}

const stateFaults = (flow: string, name: string, state: Fields): string[] => {
  const where = `${flow}.${name}`
  const type = String(state.Type)
  const allowed = ['machine', 'Retry', 'Catch'].includes(type) ? undefined : ALLOWED[type]
  if (allowed === undefined) return [refused(where, `Type ${type}`, type)]
  const intrinsic = ['ErrorPath', 'CausePath'].filter((field) => String(state[field] ?? '').startsWith('States.'))
  const hasDefault = type !== 'Choice' || state.Default !== undefined
  return [
    ...unknownFields(where, state, allowed),
    ...(type === 'Task' ? taskFaults(flow, name, state) : []),
    ...intrinsic.map((field) => `${where}: ${field} takes no intrinsic function (the engine fails on it)`),
    ...unless(
      hasDefault,
      `${where}: Default is missing, so data that no rule matches would end in an error that nothing can catch`,
    ),
  ]
}

/** Of one value, with the name of the field that holds it: durations, `$$…` in paths and intrinsic functions, `${…}` anywhere. */
const valueFaults = (field: string, value: unknown, known: readonly string[]): string[] => {
  if (Array.isArray(value)) return value.flatMap((item) => valueFaults(field, item, known))
  if (isFields(value)) return Object.entries(value).flatMap(([name, inner]) => valueFaults(name, inner, known))
  const isLong = DURATIONS.includes(field) && typeof value === 'number' && value > DURATION_MAX_SECONDS
  const text = typeof value === 'string' ? value : ''
  const isPath = field.endsWith('.$') || field.endsWith('Path') || field === 'Variable'
  const paths = isPath ? (text.match(/\$\$[\w.[\]*@]*/g) ?? []).filter((path) => !CONTEXT_PATHS.includes(path)) : []
  const left = [...text.matchAll(/\$\{([^}]*)\}?/g)]
    .map(([, name = '']) => name)
    .filter((name) => !known.includes(name))
  return [
    ...unless(!isLong, `${field} ${value} is over ${DURATION_MAX_SECONDS} seconds`),
    ...paths.map(
      (path) => `${path} is not the same everywhere; allowed of the context object: ${CONTEXT_PATHS.join(', ')}`,
    ),
    ...left.map((name) => `\${${name}} is left over; known substitutions: ${known.join(', ') || 'none'}`),
  ]
}

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
    ...unknownFields(name, definition, ALLOWED.machine),
    ...unless(states.length > 0, `${name}: States is missing or empty`),
    ...states.flatMap(([state, fields]) => stateFaults(name, state, fieldsOf(fields))),
    ...valueFaults('', definition, substitutions).map((fault) => `${name}: ${fault}`),
  ]
}
