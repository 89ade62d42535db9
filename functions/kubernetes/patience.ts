/** Parts that a wait is counted in. */
const PARTS = 10

/**
 * Calls back after a time in which this process could also work. While something else keeps the event loop busy no answer is read either, and a plain timer
 * would blame the other side; here a stall counts as a tenth of the wait at most.
 *
 * @returns ends it
 */
export const patience = (milliseconds: number, onTimeOut: () => void): (() => void) => {
  let parts = 0
  const timer = setInterval(() => {
    parts += 1
    if (parts < PARTS) return
    clearInterval(timer)
    onTimeOut()
  }, milliseconds / PARTS)
  return () => clearInterval(timer)
}
