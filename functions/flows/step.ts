import * as z from 'zod'
import { type Failure, FLOWS } from '../core/operation/operation.ts'
import type { Ports } from '../core/ports.ts'
import { AppError } from '../core/values/app-error.ts'
import type { JsonObject } from '../core/values/json.ts'

/** What a state machine's `Catch` put into `$.error`. */
const StateErrorSchema = z.object({ Error: z.string(), Cause: z.string().optional() })

/**
 * Data of a running execution: its input, what the last step returned (`$.result.progress`), and what was caught. The loop reads
 * `progress` itself.
 */
const StepStateSchema = z
  .object({
    projectId: z.string().min(1),
    entityId: z.string().min(1),
    operationId: z.string().min(1),
    attempt: z.int().min(1),
    mode: z.enum(['do', 'undo']),
    result: z.object({ progress: z.unknown() }).partial().optional(),
    error: StateErrorSchema.optional(),
  })
  .transform(({ result, ...input }) => ({ ...input, progress: result?.progress }))
export type StepState = z.infer<typeof StepStateSchema>

/** `Payload` of a Task: which step of which flow, with the execution's data. */
export const StepEventSchema = z.object({ flow: z.enum(FLOWS), step: z.string(), state: StepStateSchema })

/** Ports of steps, and how long a step may look again by itself before it hands the wait to the state machine. */
export type StepPorts = Ports & {
  /** Milliseconds. Default 10,000: transitions cost money, and a Wait is at least 1 s. */
  pollMs: number
  /** Steps of one execution, after which the operation goes on in another. Default `STEPS_MAX`. */
  stepsMax?: number
}

/** One Task state. Observes before it acts and can run again at any time; every write is conditional on the operation. */
export type Step = (ports: StepPorts, state: StepState) => Promise<JsonObject>

/** What every step returns at least, for the Choice and the Wait that follow. */
export const DONE = { done: true, waitSeconds: 0 } as const

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
  return /^(States|Lambda|Sandbox|Runtime|Extension)\./.test(name)
    ? ofPlatform(name)
    : { reason: name, message: messageIn(cause ?? '') }
}

/** A phase, or the wait for a member, took longer than its deadline. The message has what it waited for last. */
export class PhaseTimedOut extends AppError {
  override readonly name = 'PhaseTimedOut'
  readonly kind = 'unavailable'
}

/** Members did not leave, so their federation stays. The message names them. */
export class MembersNotRemoved extends AppError {
  override readonly name = 'MembersNotRemoved'
  readonly kind = 'conflict'
}

/** The host cluster that a federation was to be created on could not be created. The message says why. */
export class HostNotCreated extends AppError {
  override readonly name = 'HostNotCreated'
  readonly kind = 'conflict'
}

/** A fault of fedplane itself: the log has it. Stands for every error that is not ours, so that none of their text is shown. */
export class StepFailed extends AppError {
  override readonly name = 'StepFailed'
  readonly kind = 'internal'
}

/** A phase was not begun, since the place where it works is out of reach. Never leaves the loop: it becomes a note. */
export class PhaseNotTried extends AppError {
  override readonly name = 'PhaseNotTried'
  readonly kind = 'unavailable'
}

/** A credential was due for renewal, and the driver had no new one. */
export class NothingToRenew extends AppError {
  override readonly name = 'NothingToRenew'
  readonly kind = 'unavailable'
}

/** The driver has no plan for what is to be done. */
export class TaskNotSupported extends AppError {
  override readonly name = 'TaskNotSupported'
  readonly kind = 'invalid'
}
