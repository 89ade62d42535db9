import * as z from 'zod'
import type { Failure } from '../core/operation/failure.ts'
import type { StepState } from './step.ts'

/** `Cause` of a Lambda error is JSON of this shape; the embedded engine puts the message itself. */
const LambdaCauseSchema = z.object({ errorMessage: z.string() })

const messageIn = (cause: string): string => {
  try {
    const parsed = LambdaCauseSchema.safeParse(JSON.parse(cause))
    return parsed.success ? parsed.data.errorMessage : cause
  } catch {
    return cause
  }
}

/** Names of the platform, as a reader of `status_reason` understands them. Their `Cause` is not ours to show. */
const ofPlatform = (name: string): Failure =>
  name === 'States.Timeout'
    ? { reason: 'StepTimedOut', message: 'A step did not answer in time.' }
    : { reason: 'StepFailed', message: `A step could not be run (${name}).` }

/**
 * Why the flow came here: what the attempt before this one left in the operation, else what was caught. Causes are from our steps,
 * which let only safe messages out.
 */
export const failureOf = (state: StepState, stored: Failure | null): Failure => {
  if (stored !== null) return stored
  if (state.error === undefined) return { reason: 'StepFailed', message: 'The execution ended without saying why.' }
  const { Error: name, Cause: cause } = state.error
  return /^(States|Lambda|Sandbox|Runtime)\./.test(name)
    ? ofPlatform(name)
    : { reason: name, message: messageIn(cause ?? '') }
}
