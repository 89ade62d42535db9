import { setTimeout } from 'node:timers/promises'
import { Pending } from './step.ts'

/** How long one call looks again by itself, and how often. Milliseconds. */
const CALL_MS = 3_000
const LOOK_MS = 200

/**
 * Looks again for a short while before it says `Pending`: for what takes some seconds, of which the growing pauses between calls would add up to two
 * more.
 */
export const patiently = async <T>(look: () => Promise<T>): Promise<T> => {
  const until = performance.now() + CALL_MS
  for (;;) {
    try {
      return await look()
    } catch (error) {
      if (!(error instanceof Pending) || performance.now() + LOOK_MS > until) throw error
      await setTimeout(LOOK_MS)
    }
  }
}
