import { fork } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { type SimulatedKubernetes, startSimulatedKubernetes } from '../../simulated-kubernetes/start.ts'
import type { ApiClient } from './api-client.ts'
import { percentile } from './figures.ts'

/** Members that join by request, and as many by a label. */
const SAMPLES = 10
const POLL_MS = 20
const DEADLINE_MS = 60_000

/** From a request until the member is Ready, median in milliseconds: one that says so, and one that gives its cluster a label. */
export type RelabelFigures = { samples: number; joinMs: number; relabelMs: number }

type Member = { cluster_id: string; state: string }
type Status = { status: string; members?: Member[] }

/** Simulated APIs in a process of their own: what they take is not the server's. */
const serve = async (): Promise<void> => {
  const servers: SimulatedKubernetes[] = []
  for (let count = 0; count < 2 * SAMPLES + 1; count += 1) servers.push(await startSimulatedKubernetes())
  process.send?.(servers.map(({ kubeconfig }) => kubeconfig))
}

/** Waits until an object is as wanted. @throws when it failed, or after a minute */
const until = async (client: ApiClient, path: string, isThere: (it: Status) => boolean): Promise<void> => {
  const deadline = performance.now() + DEADLINE_MS
  for (;;) {
    const found = await client.get<Status>(path)
    if (isThere(found)) return
    if (found.status.endsWith('_FAILED')) throw new Error(`${path} is ${found.status}.`)
    if (performance.now() > deadline) throw new Error(`${path} did not become what it should in a minute.`)
    await pause(POLL_MS)
  }
}

const isComplete = ({ status }: Status): boolean => status.endsWith('_COMPLETE')

const register = async (client: ApiClient, name: string, kubeconfig: string): Promise<string> => {
  const uuid = await client.create('/clusters', { name, kubeconfig })
  await until(client, `/clusters/${uuid}`, isComplete)
  return uuid
}

const patch = async (client: ApiClient, path: string, operation: object): Promise<void> => {
  const { status, body } = await client.send('PATCH', path, [operation])
  if (status >= 300) throw new Error(`PATCH ${path} answered ${status}: ${JSON.stringify(body)}`)
}

const measureOn = async (client: ApiClient, kubeconfigs: readonly string[]): Promise<RelabelFigures> => {
  const [host = '', ...members] = await Promise.all(
    kubeconfigs.map((kubeconfig, index) => register(client, `relabel-${index}`, kubeconfig)),
  )
  const asked = { name: 'relabel', hostcluster_id: host, driver: 'clusterprofile@1' }
  const federation = `/federations/${await client.create('/federations', asked)}`
  await until(client, federation, isComplete)
  const value = { labels: 'bench=join' }
  await patch(client, federation, { op: 'add', path: '/member_selector', value })
  const measured = async (cluster: string, begin: () => Promise<void>): Promise<number> => {
    const begun = performance.now()
    await begin()
    await until(client, federation, ({ members: all = [] }) =>
      all.some(({ cluster_id: id, state }) => id === cluster && state === 'Ready'),
    )
    const took = performance.now() - begun
    await until(client, federation, isComplete)
    return took
  }
  const times: { join: number[]; relabel: number[] } = { join: [], relabel: [] }
  for (const [index, cluster] of members.entries()) {
    const isJoin = index % 2 === 0
    const took = await measured(cluster, () =>
      isJoin
        ? patch(client, federation, { op: 'add', path: '/member_ids', value: cluster })
        : patch(client, `/clusters/${cluster}`, { op: 'replace', path: '/labels', value: { bench: 'join' } }),
    )
    times[isJoin ? 'join' : 'relabel'].push(took)
  }
  return { samples: SAMPLES, joinMs: percentile(times.join, 0.5), relabelMs: percentile(times.relabel, 0.5) }
}

/** Has clusters join a federation of `clusterprofile@1` in turn by request and by a label that its selector asks for. */
export const measureRelabel = async (client: ApiClient): Promise<RelabelFigures> => {
  const child = fork(import.meta.filename, ['serve-members'], { stdio: 'inherit' })
  try {
    const [kubeconfigs] = (await once(child, 'message')) as [string[]]
    return await measureOn(client, kubeconfigs)
  } finally {
    child.kill()
  }
}

if (process.argv[2] === 'serve-members') await serve()
