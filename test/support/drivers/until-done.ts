import { setTimeout as sleep } from 'node:timers/promises'

const FIRST_PAUSE_MILLISECONDS = 25
const LAST_PAUSE_MILLISECONDS = 400
/** Of waits for more than a minute: real controllers need the time of the API server themselves. */
const PATIENT_PAUSE_MILLISECONDS = 2_000
const PATIENT_MILLISECONDS = 60_000

/** Looks again until done, as the steps of a flow do. @throws Error that says what was awaited last */
export const untilDone = async <R extends { done: boolean; waitingFor?: string }>(
  look: () => Promise<R>,
  timeoutMilliseconds = 60_000,
): Promise<R> => {
  const deadline = performance.now() + timeoutMilliseconds
  const longest = timeoutMilliseconds > PATIENT_MILLISECONDS ? PATIENT_PAUSE_MILLISECONDS : LAST_PAUSE_MILLISECONDS
  for (let pause = FIRST_PAUSE_MILLISECONDS; ; pause = Math.min(pause * 2, longest)) {
    const result = await look()
    if (result.done) return result
    if (!result.waitingFor) throw new Error('a step that is not done does not say what it waits for')
    if (performance.now() > deadline) throw new Error(`still waiting for ${result.waitingFor}`)
    await sleep(pause)
  }
}
