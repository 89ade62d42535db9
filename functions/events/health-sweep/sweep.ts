import { isAppError } from '../../domain/app-error.ts'
import type { Cluster, ClusterObservation } from '../../domain/cluster.ts'
import { managementDoors } from '../../operations/management-access.ts'
import type { Ports } from '../../runtime/ports.ts'
import { beat } from '../heartbeat.ts'
import { resumeCreate, takeGroups } from './after-look.ts'
import { type ControlPlaneReport, sweepControlPlanes } from './control-planes.ts'
import { inParallel } from './in-parallel.ts'
import { lookAfter, type Sweep } from './look.ts'
import { moveMembers } from './member-health.ts'
import { tellControlPlanes } from './told.ts'
import { differs, healthAfter, isDue, isWatched, mayComeUp } from './verdict.ts'

/** Clusters looked at in parallel (design section 8). */
const PARALLEL_MAX = 50

/** What one run did to clusters. `owed`: control planes that are still to be told of a member's health, at a later look. */
type ClusterReport = { looked: number; changed: number; failed: number; owed: number }
/** What one run did. */
export type SweepReport = ClusterReport & { federations: ControlPlaneReport }

/** Stores what was seen, when it differs. False when somebody else has seen something newer, or the cluster is gone. */
const record = async (ports: Ports, cluster: Cluster, next: ClusterObservation): Promise<boolean> => {
  const { observation: stored } = cluster
  if (next.healthStatus !== stored?.healthStatus && next.healthStatus !== 'UNKNOWN') {
    await moveMembers(ports, cluster, next)
  }
  return ports.stores.clusters.observe({ projectId: cluster.projectId, id: cluster.id }, next)
}

/** One look. What was seen is stored before control planes are told of it: one that hangs must not keep it from being known. */
const sweepOne = async (sweep: Sweep, registered: Cluster): Promise<{ changed: boolean; owed: number }> => {
  const { ports } = sweep
  const look = await lookAfter(sweep, registered)
  const { cluster, seen } = look
  const { observation: stored } = cluster
  const next = { ...seen, healthStatus: healthAfter(stored, seen) }
  const changed = differs(stored, next)
  if (changed && !(await record(ports, cluster, next))) return { changed: false, owed: 0 }
  const moved = mayComeUp(cluster) ? await resumeCreate(ports, look) : await takeGroups(ports, look)
  return { changed: changed || moved, owed: await tellControlPlanes(ports, { ...cluster, observation: next }) }
}

const sweepEach = async (sweep: Sweep): Promise<ClusterReport> => {
  const { ports } = sweep
  const report: ClusterReport = { looked: 0, changed: 0, failed: 0, owed: 0 }
  await inParallel(ports.stores.work.clusters(), PARALLEL_MAX, async (key) => {
    try {
      const cluster = await ports.stores.clusters.get(key)
      if (cluster === undefined || !isWatched(cluster) || !isDue(cluster, ports.clock.now())) return
      report.looked += 1
      const { changed, owed } = await sweepOne(sweep, cluster)
      report.changed += changed ? 1 : 0
      report.owed += owed
    } catch (error) {
      report.failed += 1
      const told = isAppError(error) ? { error: error.name, message: error.message } : { error }
      ports.log.error('cluster not swept', { projectId: key.projectId, clusterId: key.id, ...told })
    }
  })
  return report
}

/** A management cluster is asked for all the clusters that are made through it over one connection; one that is down, once. */
const sweepClusters = async (ports: Ports): Promise<ClusterReport> => {
  const doors = managementDoors(ports, { remembersFailures: true })
  try {
    return await sweepEach({ ports, doors })
  } finally {
    doors.close()
  }
}

/**
 * Looks at the health of all registered clusters that are due: healthy ones each fifth minute, the others each minute, at most 50 at a
 * time. Writes only what changed; a health that changed for two looks running degrades or heals the cluster's memberships, and the
 * control planes are told of it. Then likewise at the control planes of federations, which say more of their members.
 */
export const sweepHealth = async (ports: Ports): Promise<SweepReport> => {
  const clusters = await sweepClusters(ports)
  const federations = await sweepControlPlanes(ports)
  await beat(ports, 'health-sweep')
  return { ...clusters, federations }
}
