import { setTimeout } from 'node:timers/promises'
import type { ObjectRef } from '../../core/values/object-ref.ts'
import { type StepResult, withMade } from '../contract/phase.ts'

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

/**
 * Runs independent calls side by side and waits for all of them, also when one fails: no call goes on behind the back of who asked, and what the
 * others made is noted. Then the first failure is thrown.
 */
export const settleAll = async <const T extends readonly (() => Promise<unknown>)[]>(
  calls: T,
): Promise<{ -readonly [K in keyof T]: Awaited<ReturnType<T[K]>> }> => {
  const results = await Promise.allSettled(calls.map((call) => call()))
  const failed = results.find((result) => result.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return results.map((result) => (result.status === 'fulfilled' ? result.value : undefined)) as {
    -readonly [K in keyof T]: Awaited<ReturnType<T[K]>>
  }
}

/** How long one call looks again by itself, and how often. Milliseconds. */
const CALL_MS = 3_000
const POLL_MS = 200

/**
 * Looks again for a short while before it says `Pending`: for what takes some seconds, of which the growing pauses between calls would add up to two
 * more.
 */
export const retryWhilePending = async <T>(attempt: () => Promise<T>): Promise<T> => {
  const until = performance.now() + CALL_MS
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      if (!(error instanceof Pending) || performance.now() + POLL_MS > until) throw error
      await setTimeout(POLL_MS)
    }
  }
}
