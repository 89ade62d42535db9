import { isAppError } from '../../domain/app-error.ts'
import type { Cluster, ClusterObservation } from '../../domain/cluster.ts'
import { kubeconfigKey } from '../../operations/credentials.ts'
import type { Ports } from '../../runtime/ports.ts'
import { inParallel } from './in-parallel.ts'
import { moveMembers } from './member-health.ts'
import { differs, healthAfter, isDue, isWatched } from './verdict.ts'

/** Clusters looked at in parallel (design section 8). */
const PARALLEL_MAX = 50

/** What one run did. */
export type SweepReport = { looked: number; changed: number; failed: number }

const look = (ports: Ports, cluster: Cluster): Promise<ClusterObservation> =>
  ports.drivers.cluster.resolve(cluster.driver).observe({
    cluster,
    credential: () => ports.stores.credentials.get(kubeconfigKey(cluster)),
    connect: ports.connect,
    // A look claims nothing: the identity was claimed at registration.
    claimIdentity: () => Promise.resolve(),
    now: () => ports.clock.now().toISOString(),
  })

const why = ({ healthReason }: ClusterObservation): string =>
  `The cluster is unhealthy: ${Object.entries(healthReason)
    .filter(([, value]) => value !== 'ok' && value !== 'True')
    .map(([key, value]) => `${key} is ${value}`)
    .join(', ')}.`

/** One look; true when something changed. */
const sweepOne = async (ports: Ports, cluster: Cluster): Promise<boolean> => {
  const { observation: stored } = cluster
  const seen = await look(ports, cluster)
  const next = { ...seen, healthStatus: healthAfter(stored, seen) }
  if (!differs(stored, next)) return false
  if (next.healthStatus !== stored?.healthStatus && next.healthStatus !== 'UNKNOWN') {
    await moveMembers(ports, cluster, { healthy: next.healthStatus === 'HEALTHY', why: why(next) })
  }
  return ports.stores.clusters.observe({ projectId: cluster.projectId, id: cluster.id }, next)
}

/**
 * Looks at the health of all registered clusters that are due: healthy ones each fifth minute, the others each minute, at most 50 at a
 * time. Writes only what changed; a health that changed for two looks running degrades or heals the cluster's memberships.
 */
export const sweepHealth = async (ports: Ports): Promise<SweepReport> => {
  const report: SweepReport = { looked: 0, changed: 0, failed: 0 }
  await inParallel(ports.stores.work.clusters(), PARALLEL_MAX, async (key) => {
    try {
      const cluster = await ports.stores.clusters.get(key)
      if (cluster === undefined || !isWatched(cluster) || !isDue(cluster, ports.clock.now())) return
      report.looked += 1
      if (await sweepOne(ports, cluster)) report.changed += 1
    } catch (error) {
      report.failed += 1
      const told = isAppError(error) ? { error: error.name, message: error.message } : { error }
      ports.log.error('cluster not swept', { projectId: key.projectId, clusterId: key.id, ...told })
    }
  })
  return report
}
