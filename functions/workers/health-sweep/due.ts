import type { Cluster } from '../../core/cluster/cluster.ts'
import { mapLimited } from '../../core/map-limited.ts'
import type { Ports } from '../../core/ports.ts'
import type { ClusterKey } from '../../store/cluster.store.ts'
import type { PutOff } from '../../store/work.store.ts'
import { isDueOrOwed } from './report.ts'
import { isWatched } from './verdict.ts'

/** A cluster that is to be observed, and since when. */
export type Due = { projectId: string; cluster: Cluster; since: string }

/** Clusters in one read. */
const BATCH = 100
/** How much longer than an unhealthy cluster a healthy one waits, milliseconds, before it goes first. */
const PATIENCE_MS = 3 * 60_000
/** Clusters that are remembered as put off: the item has 400 KB, and an id 40 bytes. Others are due when their minute comes again. */
const REMEMBERED_MAX = 8_000

type FailedRead = (key: ClusterKey, error: unknown) => void

/** One that can't be read is no other's fault. */
const readEach = async (ports: Ports, keys: readonly ClusterKey[], failed: FailedRead): Promise<Cluster[]> => {
  const read = await Promise.all(
    keys.map(async (key) => {
      try {
        return await ports.stores.clusters.get(key)
      } catch (error) {
        failed(key, error)
        return undefined
      }
    }),
  )
  return read.filter((cluster) => cluster !== undefined)
}

const readBatch = async (ports: Ports, keys: readonly ClusterKey[], failed: FailedRead): Promise<Cluster[]> => {
  const [{ projectId } = { projectId: '' }] = keys
  try {
    return await ports.stores.clusters.getMany(
      projectId,
      keys.map(({ id }) => id),
    )
  } catch {
    return readEach(ports, keys, failed)
  }
}

const batchesOf = async (keys: AsyncIterable<ClusterKey>): Promise<ClusterKey[][]> => {
  const projects = new Map<string, ClusterKey[]>()
  for await (const key of keys) {
    const own = projects.get(key.projectId)
    if (own === undefined) projects.set(key.projectId, [key])
    else own.push(key)
  }
  return [...projects.values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / BATCH) }, (_, at) => own.slice(at * BATCH, (at + 1) * BATCH)),
  )
}

/** What is waited for longest goes first, and what is not healthy before what is, for some minutes. */
const urgency = ({ cluster, since }: Due): number =>
  Date.parse(since) - (cluster.observation?.healthStatus === 'HEALTHY' ? 0 : PATIENCE_MS)

/**
 * The clusters that are due, the most urgent first: those that were put off, those that are not healthy, and healthy ones in their minute. So an overrun puts
 * off the healthiest, and never the same ones for long.
 */
export const readDue = async (
  ports: Ports,
  keys: AsyncIterable<ClusterKey>,
  { putOff, failed }: { putOff: PutOff; failed: FailedRead },
): Promise<Due[]> => {
  const now = ports.clock.now()
  const sinceOf = new Map(Object.entries(putOff).flatMap(([since, ids]) => ids.map((id) => [id, since] as const)))
  const due = await mapLimited(await batchesOf(keys), async (batch) =>
    (await readBatch(ports, batch, failed)).flatMap((cluster): Due[] => {
      const since = sinceOf.get(cluster.id) ?? now.toISOString()
      const isToDo = isWatched(cluster) && (sinceOf.has(cluster.id) || isDueOrOwed(cluster, now))
      return isToDo ? [{ projectId: cluster.projectId, cluster, since }] : []
    }),
  )
  return due.flat().toSorted((one, other) => urgency(one) - urgency(other))
}

/** What is to be remembered of those that were not observed, those that wait longest first. */
export const putOffOf = (left: readonly Due[]): PutOff => {
  const remembered = left.toSorted((one, other) => urgency(one) - urgency(other)).slice(0, REMEMBERED_MAX)
  const bySince = Map.groupBy(remembered, ({ since }) => since)
  return Object.fromEntries([...bySince].map(([since, due]) => [since, due.map(({ cluster }) => cluster.id)]))
}

/** How long the one waits that waits longest, seconds; 0 when none does. */
export const staleSeconds = (left: readonly Due[], now: Date): number =>
  Math.max(0, ...left.map(({ since }) => Math.floor((now.getTime() - Date.parse(since)) / 1000)))
