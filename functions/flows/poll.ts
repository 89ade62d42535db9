import { setTimeout as sleep } from 'node:timers/promises'

/**
 * How long a step looks again by itself, milliseconds, before it hands the wait to the state machine: transitions cost money and a Wait
 * is at least 1 s. Its function has 60 s (`infra/limits.ts`) for that and its calls.
 */
export const POLL_MS = 10_000

/**
 * How long a step may begin calls of clusters, milliseconds: one that has begun takes 15 s at most, so that the step has ended before its Task's
 * TimeoutSeconds (75) begin another.
 */
export const CALLS_MS = 55_000

const FIRST_PAUSE_MS = 200
const LAST_PAUSE_MS = 2000
const GROWTH = 1.5

/**
 * Looks again until `done` or the time is up, with growing pauses (200 ms to 2 s). The last look is the answer; the first always
 * happens.
 */
export const poll = async <T extends { done: boolean }>(look: () => Promise<T>, untilMs: number): Promise<T> => {
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * GROWTH, LAST_PAUSE_MS)) {
    const seen = await look()
    if (seen.done || performance.now() + pause > untilMs) return seen
    await sleep(pause)
  }
}
