import type { ObjectRef } from '../../core/values/object-ref.ts'
import { withMade } from '../contract/made-before.ts'
import type { StepResult } from '../contract/phase.ts'

/** Characters: it is stored with the status. */
const WAITING_MAX = 2048

/**
 * Ends a step before it is done: something has to happen in the cluster first. Caught by `step`, never seen outside of a driver.
 * Not an `AppError`, since nothing is wrong.
 */
export class Pending extends Error {
  override readonly name = 'Pending'

  /** @param waitingFor may hold what a cluster says: it is cut */
  constructor(waitingFor: string) {
    super(waitingFor.slice(0, WAITING_MAX))
  }
}

/** What a step's body notes while it acts. */
export type Trace = {
  /** An object that was made, or found to be ours already. */
  made(ref: ObjectRef): void
}

/**
 * Runs the body of a driver's step. What it noted as made is part of the answer also when it ends early with `Pending`, and of the error when it
 * throws (`madeBefore`), so that the caller can store it before anything else.
 */
export const step = async <Extra extends object>(
  body: (trace: Trace) => Promise<Extra>,
): Promise<(StepResult & Extra) | StepResult> => {
  const made: ObjectRef[] = []
  try {
    return { ...(await body({ made: (ref) => made.push(ref) })), done: true, made }
  } catch (error) {
    if (!(error instanceof Pending)) throw withMade(error, made)
    return { done: false, waitingFor: error.message, made }
  }
}
