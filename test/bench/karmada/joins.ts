import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { KubernetesClient } from '../../../functions/kubernetes/client.ts'
import { clientOf } from '../../../local/clusters/started-cluster.ts'
import { create, type Fleet, kubeconfigEntry, openFleet, type Site } from '../../e2e/karmada/support/fleet.ts'
import { karmadactlInit, type OwnCluster, startBares, startNode } from '../../e2e/karmada/support/kube.ts'
import { add, federationPath, remove } from '../../e2e/support/stories.ts'
import type { Api, FederationView } from '../../support/api/api.ts'
import { karmadactl, type Run } from './karmadactl.ts'
import { metered } from './meter.ts'

export type Mode = 'in turn' | 'side by side'
export type JoinRow = {
  tool: string
  mode: Mode
  members: number
  /** Until all are Ready. */
  joinSeconds: number
  unjoinSeconds: number
  /** Per join, of the joining side. */
  cpuSeconds: number
  calls: number
  failed: number
}
type Tell = (text: string) => void

const CLUSTERS = { group: 'cluster.karmada.io', version: 'v1alpha1', plural: 'clusters' }
const NAMESPACES = { group: '', version: 'v1', plural: 'namespaces' }
const POLL_MS = 100

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await delay(POLL_MS)
}

/** All at once, or one after the other. */
const each = async <T>(mode: Mode, items: readonly T[], work: (item: T) => Promise<unknown>): Promise<void> => {
  if (mode === 'side by side') await Promise.all(items.map(work))
  else for (const item of items) await work(item)
}

const plans = (counts: readonly number[]): [Mode, number][] =>
  counts.flatMap((count): [Mode, number][] =>
    count === 1
      ? [['in turn', 1]]
      : count > 10
        ? [['side by side', count]]
        : [
            ['in turn', count],
            ['side by side', count],
          ],
  )

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `m${at + 1}`)

/** One line of it. */
export const shown = (row: JoinRow): string =>
  `${row.tool}, ${row.members} ${row.mode}: joined in ${row.joinSeconds.toFixed(1)} s, unjoined in ${row.unjoinSeconds.toFixed(1)} s, ${row.cpuSeconds.toFixed(2)} CPU s and ${row.calls.toFixed(0)} calls a join, ${row.failed} failed`

const isReady = async (client: KubernetesClient, name: string): Promise<boolean> => {
  const object = await client.get(CLUSTERS, name)
  const { conditions = [] } = (object?.status ?? {}) as { conditions?: { type: string; status: string }[] }
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
}

/** Seconds that `work` took. */
export const timed = async (work: () => Promise<void>): Promise<number> => {
  const begun = performance.now()
  await work()
  return (performance.now() - begun) / 1000
}

const peerRow = async (config: string, members: readonly OwnCluster[], mode: Mode): Promise<JoinRow> => {
  const client = clientOf(kubeconfigEntry(await readFile(config, 'utf8')))
  const runs: Run[] = []
  let failed = 0
  const call =
    (verb: string) =>
    async (member: OwnCluster): Promise<void> => {
      const args = [verb, member.name, '--cluster-kubeconfig', member.file, '--cluster-context', member.context]
      try {
        const run = await karmadactl(config, ...args)
        if (verb === 'join') runs.push(run)
      } catch {
        failed += 1
      }
    }
  const joinSeconds = await timed(async () => {
    await each(mode, members, call('join'))
    if (failed === 0)
      await until(async () => (await Promise.all(members.map(({ name }) => isReady(client, name)))).every(Boolean))
  })
  const unjoinSeconds = await timed(() => each(mode, members, call('unjoin')))
  client.close()
  const mean = (of: (run: Run) => number): number =>
    runs.reduce((sum, run) => sum + of(run), 0) / Math.max(1, runs.length)
  return {
    tool: 'karmadactl',
    mode,
    members: members.length,
    joinSeconds,
    unjoinSeconds,
    cpuSeconds: mean(({ cpuSeconds }) => cpuSeconds),
    calls: mean(({ calls }) => calls),
    failed,
  }
}

/** karmadactl returns from an unjoin before the member's namespace is gone, and then can't join it again. */
const settledMember = async (member: OwnCluster): Promise<void> => {
  const client = clientOf(member)
  await until(async () => (await client.get(NAMESPACES, 'karmada-cluster')) === undefined)
  client.close()
}

export const joinsByKarmadactl = async (counts: readonly number[], tell: Tell): Promise<JoinRow[]> => {
  const host = await startNode('peer')
  const members = await startBares(names(Math.max(...counts)))
  try {
    const config = await karmadactlInit(host)
    const rows: JoinRow[] = []
    for (const [mode, count] of plans(counts)) {
      const row = await peerRow(config, members.slice(0, count), mode)
      await Promise.all(members.slice(0, count).map(settledMember))
      tell(shown(row))
      rows.push(row)
    }
    return rows
  } finally {
    await Promise.all([host.close(), members[0]?.close()])
  }
}

/** Whatever came of it: what failed is counted. */
export const over = (api: Api, id: string): Promise<FederationView> =>
  api.until(
    () => api.get<FederationView>(federationPath(id)),
    ({ status }) => !status.endsWith('_IN_PROGRESS'),
  )

const ourRow = async (fleet: Fleet, federation: string, sites: readonly Site[], mode: Mode): Promise<JoinRow> => {
  const ids = sites.map(({ view }) => view.uuid)
  const groups = mode === 'in turn' ? ids.map((id) => [id]) : [ids]
  const cost = await metered(async () => {
    for (const group of groups) {
      await add(fleet.api, federation, group)
      await over(fleet.api, federation)
    }
  })
  const { members } = await fleet.api.get<FederationView>(federationPath(federation))
  const failed = ids.length - members.filter(({ state }) => state === 'Ready').length
  const unjoinSeconds = await timed(async () => {
    for (const group of groups) {
      await remove(
        fleet.api,
        federation,
        group.filter((id) => members.some(({ cluster_id }) => cluster_id === id)),
      )
      await over(fleet.api, federation)
    }
  })
  return {
    tool: 'fedplane',
    mode,
    members: ids.length,
    joinSeconds: cost.seconds,
    unjoinSeconds,
    cpuSeconds: cost.cpuSeconds / ids.length,
    calls: cost.calls / ids.length,
    failed,
  }
}

export const joinsByFedplane = async (counts: readonly number[], tell: Tell): Promise<JoinRow[]> => {
  const fleet = await openFleet()
  try {
    const host = await fleet.add(startNode('ours'))
    const clusters = await startBares(names(Math.max(...counts)))
    const sites: Site[] = []
    for (const cluster of clusters) sites.push(await fleet.add(Promise.resolve(cluster)))
    const federation = await create(fleet.api, { name: 'bench', host })
    const rows: JoinRow[] = []
    for (const [mode, count] of plans(counts)) {
      const row = await ourRow(fleet, federation.uuid, sites.slice(0, count), mode)
      tell(shown(row))
      rows.push(row)
    }
    return rows
  } finally {
    await fleet.close()
  }
}
