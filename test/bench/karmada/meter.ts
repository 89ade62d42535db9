import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { readFile } from 'node:fs/promises'
import type { ClientRequest } from 'node:http'

const STARTED = 'http.client.request.start'
/** Clock ticks a second in /proc; the same on every Linux that Node runs on. */
const TICKS = 100

/** User and system time of another process so far, seconds. */
const cpuOf = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS
}

export type Cost = { seconds: number; cpuSeconds: number; calls: number }

/** What `work` took: wall time, processor time of this process and the database's, and calls over HTTPS, which go to clusters only. */
export const metered = async (work: () => Promise<unknown>, databasePid: number | undefined): Promise<Cost> => {
  let calls = 0
  const count = (message: unknown): void => {
    if ((message as { request: ClientRequest }).request.protocol === 'https:') calls += 1
  }
  const database = async (): Promise<number> => (databasePid === undefined ? 0 : cpuOf(databasePid))
  const [begun, cpu, databaseBefore] = [performance.now(), process.cpuUsage(), await database()]
  subscribe(STARTED, count)
  try {
    await work()
  } finally {
    unsubscribe(STARTED, count)
  }
  const { user, system } = process.cpuUsage(cpu)
  return {
    seconds: (performance.now() - begun) / 1000,
    cpuSeconds: (user + system) / 1e6 + (await database()) - databaseBefore,
    calls,
  }
}
