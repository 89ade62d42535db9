/** What the Lambda function of all steps does with the payload of a Task; it may return anything that JSON can say. */
export type FlowHandler = (payload: unknown) => Promise<unknown>

/** Step Functions refuses a state whose data is larger, bytes (AWS quota "maximum input or output size", 256 KiB). */
const DATA_MAX_BYTES = 262_144

/** An error that neither Retry nor Catch may see: the library asks these two fields. */
class Terminal extends Error {
  readonly isRetryable = false
  readonly isCatchable = false
}

/** The execution is over (stopped, timed out, or the process ends), so no handler is called for it any more. */
export const executionIsOver = (): Error => {
  const error = new Terminal('The execution is over.')
  error.name = 'States.Runtime'
  return error
}

const dataLimitExceeded = (bytes: number): Error => {
  const error = new Terminal(`A state's data of ${bytes} bytes is over the limit of ${DATA_MAX_BYTES}.`)
  error.name = 'States.DataLimitExceeded'
  return error
}

/**
 * A handler's error as Step Functions shows it: `Error` is its name, `Cause` the JSON text that Lambda makes of it. The library takes
 * `Cause` from the message. No trace: a stack has no place in a state's data.
 */
const taskError = (thrown: unknown): Error => {
  const errorType = thrown instanceof Error ? thrown.name : 'Error'
  const errorMessage = thrown instanceof Error ? thrown.message : String(thrown)
  const error = new Error(JSON.stringify({ errorType, errorMessage }), { cause: thrown })
  error.name = errorType
  return error
}

/** What JSON makes of a value, as between two machines: no `undefined`, no shared objects. */
const overTheWire = (value: unknown): unknown => {
  const text = JSON.stringify(value ?? null)
  const bytes = Buffer.byteLength(text)
  if (bytes > DATA_MAX_BYTES) throw dataLimitExceeded(bytes)
  return JSON.parse(text)
}

/**
 * `arn:aws:states:::lambda:invoke` in this process: calls the handler with the Task's Payload and answers in AWS's shape. Errors that
 * the handler throws carry their name and come out as `taskError`.
 */
export const invokeTask = async (handler: FlowHandler, parameters: unknown): Promise<unknown> => {
  const { Payload } = parameters as { Payload: unknown }
  const event = overTheWire(Payload)
  const result = await handler(event).catch((thrown: unknown) => {
    throw taskError(thrown)
  })
  return { StatusCode: 200, ExecutedVersion: '$LATEST', Payload: overTheWire(result) }
}
