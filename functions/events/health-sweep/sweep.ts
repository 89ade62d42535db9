import { isAppError } from '../../domain/app-error.ts'
import type { Cluster, ClusterObservation } from '../../domain/cluster.ts'
import { describeUnhealthy } from '../../domain/health.ts'
import { clusterContext, storedGroups } from '../../operations/cluster-context.ts'
import { kubeconfigKey } from '../../operations/credentials.ts'
import type { Ports } from '../../runtime/ports.ts'
import { beat } from '../heartbeat.ts'
import { inParallel } from './in-parallel.ts'
import { moveMembers } from './member-health.ts'
import { tellControlPlanes } from './told.ts'
import { differs, healthAfter, isDue, isWatched } from './verdict.ts'

/** Clusters looked at in parallel (design section 8). */
const PARALLEL_MAX = 50

/** What one run did. `owed`: control planes that are still to be told of a member's health, at a later look. */
export type SweepReport = { looked: number; changed: number; failed: number; owed: number }

const look = async (ports: Ports, cluster: Cluster): Promise<ClusterObservation> => {
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  return driver.observe(
    clusterContext(ports, cluster, {
      nodeGroups: await storedGroups(ports, cluster),
      task: null,
      undoing: false,
      credential: () => ports.stores.credentials.get(kubeconfigKey(cluster)),
      // A look claims nothing: the identity was claimed at registration.
      claimIdentity: () => Promise.resolve(),
    }),
  )
}

/** Stores what was seen, when it differs. False when somebody else has seen something newer, or the cluster is gone. */
const record = async (ports: Ports, cluster: Cluster, next: ClusterObservation): Promise<boolean> => {
  const { observation: stored } = cluster
  if (next.healthStatus !== stored?.healthStatus && next.healthStatus !== 'UNKNOWN') {
    await moveMembers(ports, cluster, {
      healthy: next.healthStatus === 'HEALTHY',
      why: describeUnhealthy(next.healthReason),
    })
  }
  return ports.stores.clusters.observe({ projectId: cluster.projectId, id: cluster.id }, next)
}

/** One look. What was seen is stored before control planes are told of it: one that hangs must not keep it from being known. */
const sweepOne = async (ports: Ports, cluster: Cluster): Promise<{ changed: boolean; owed: number }> => {
  const { observation: stored } = cluster
  const seen = await look(ports, cluster)
  const next = { ...seen, healthStatus: healthAfter(stored, seen) }
  const changed = differs(stored, next)
  if (changed && !(await record(ports, cluster, next))) return { changed: false, owed: 0 }
  return { changed, owed: await tellControlPlanes(ports, { ...cluster, observation: next }) }
}

/**
 * Looks at the health of all registered clusters that are due: healthy ones each fifth minute, the others each minute, at most 50 at a
 * time. Writes only what changed; a health that changed for two looks running degrades or heals the cluster's memberships, and the
 * control planes are told of it.
 */
export const sweepHealth = async (ports: Ports): Promise<SweepReport> => {
  const report: SweepReport = { looked: 0, changed: 0, failed: 0, owed: 0 }
  await inParallel(ports.stores.work.clusters(), PARALLEL_MAX, async (key) => {
    try {
      const cluster = await ports.stores.clusters.get(key)
      if (cluster === undefined || !isWatched(cluster) || !isDue(cluster, ports.clock.now())) return
      report.looked += 1
      const { changed, owed } = await sweepOne(ports, cluster)
      report.changed += changed ? 1 : 0
      report.owed += owed
    } catch (error) {
      report.failed += 1
      const told = isAppError(error) ? { error: error.name, message: error.message } : { error }
      ports.log.error('cluster not swept', { projectId: key.projectId, clusterId: key.id, ...told })
    }
  })
  await beat(ports, 'health-sweep')
  return report
}
