/** Below the ports that systems give to outgoing connections, and one range for each worker of the test run. */
const FIRST = 12_000
const PER_WORKER = 1_500

const worker = (Number(process.env.VITEST_POOL_ID ?? 1) - 1) % 8

/** Runs beside each other on one machine begin at different places. */
let next = (process.pid * 61) % PER_WORKER

/** A port of 127.0.0.1 for the API Service of one federation: several control planes share the one address. */
export const takePort = (): number => {
  const port = FIRST + worker * PER_WORKER + (next % PER_WORKER)
  next += 1
  return port
}
