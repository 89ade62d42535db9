import { setTimeout as sleep } from 'node:timers/promises'
import { RevisionConflict } from '../../store/errors.ts'

/** Rounds before the conflict is handed to the flow's Retry. Ten members that end at once need a few; more is a livelock. */
const ROUNDS_MAX = 20

/**
 * Runs read → decide → commit until the commit meets no other writer. The function must read again each time.
 *
 * @throws RevisionConflict when others kept winning for 20 rounds
 */
export const retryOnConflict = async <T>(round: () => Promise<T>): Promise<T> => {
  for (let count = 1; ; count++) {
    try {
      return await round()
    } catch (error) {
      if (!(error instanceof RevisionConflict) || count >= ROUNDS_MAX) throw error
    }
    await sleep(Math.random() * Math.min(5 * count, 50))
  }
}

/** What was read already for the first who asks, and a new reading for each who asks after that: the first round of `retryOnConflict` saves one. */
export const atHandFirst = <T>(atHand: T, read: () => Promise<T>): (() => Promise<T>) => {
  let isTaken = false
  return async () => {
    if (isTaken) return read()
    isTaken = true
    return atHand
  }
}
