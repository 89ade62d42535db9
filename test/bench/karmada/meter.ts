import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest } from 'node:http'

const STARTED = 'http.client.request.start'

export type Cost = { seconds: number; cpuSeconds: number; calls: number }

/** What `work` took: wall time, processor time of this process, database included, and calls over HTTPS, which go to clusters only. */
export const metered = async (work: () => Promise<unknown>): Promise<Cost> => {
  let calls = 0
  const count = (message: unknown): void => {
    if ((message as { request: ClientRequest }).request.protocol === 'https:') calls += 1
  }
  const [begun, cpu] = [performance.now(), process.cpuUsage()]
  subscribe(STARTED, count)
  try {
    await work()
  } finally {
    unsubscribe(STARTED, count)
  }
  const { user, system } = process.cpuUsage(cpu)
  return {
    seconds: (performance.now() - begun) / 1000,
    cpuSeconds: (user + system) / 1e6,
    calls,
  }
}
