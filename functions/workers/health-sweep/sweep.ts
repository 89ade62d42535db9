import { managementClients } from '../../core/access/management-access.ts'
import type { Cluster, ClusterObservation } from '../../core/cluster/cluster.ts'
import { createAgain } from '../../core/cluster/create-again.ts'
import { reportedGroups } from '../../core/cluster/node-group-results.ts'
import { GROUPS_IN_COMMIT } from '../../core/cluster/node-group-writes.ts'
import type { Ports } from '../../core/ports.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { SWEEP_LIMITS } from '../../kubernetes/bounds.ts'
import { connectWithin } from '../../kubernetes/connect-until.ts'
import { RevisionConflict } from '../../store/errors.ts'
import { beat } from '../heartbeat.ts'
import { inShares, type Shares } from '../in-shares.ts'
import { type ControlPlaneReport, sweepControlPlanes } from './control-planes.ts'
import { moveMembers } from './members.ts'
import { type Probe, probeCluster, type Sweep } from './probe.ts'
import { reportToControlPlanes } from './report.ts'
import { differs, healthAfter, isDue, isWatched, mayComeUp, minuteOf } from './verdict.ts'

/** False when the cluster was changed since it was checked: the next observation sees what came of it. */
const unlessChanged = async (act: () => Promise<void>): Promise<boolean> => {
  try {
    await act()
    return true
  } catch (error) {
    if (error instanceof RevisionConflict) return false
    throw error
  }
}

/**
 * Takes over what an observation tells of node groups whose nodes come and go without fedplane: counts, addresses, versions, and the cluster's sums.
 * Only while nothing runs or waits on the cluster, since a task knows better; writes only what changed.
 *
 * @returns true when something was stored
 */
const takeGroups = async ({ stores }: Ports, { cluster, groups, reported }: Probe): Promise<boolean> => {
  if (cluster.operation !== null || cluster.queue.length > 0) return false
  const { change, writes } = reportedGroups({ stores }, cluster, {
    groups,
    reported,
    done: true,
    max: GROUPS_IN_COMMIT,
  })
  if (writes.length === 0) return false
  return unlessChanged(() => stores.commit([stores.clusters.change(cluster, change), ...writes]))
}

/** Goes on with a create that failed, when the cluster has come up after all. */
const resumeCreate = async (ports: Ports, { cluster, isComplete }: Probe): Promise<boolean> =>
  isComplete &&
  unlessChanged(() =>
    createAgain(ports, cluster, {
      said: { reason: 'CameUp', message: `Cluster ${cluster.name} has come up after all; its create goes on.` },
    }),
  )

/** Clusters checked in parallel (design section 8). */
const PARALLEL_MAX = 50

/** Of these, of one project: so many looks that read as much as they may need 20 MiB. */
const PROJECT_PARALLEL_MAX = 10

/**
 * Milliseconds of observations of one project in a run: 80 clusters whose address nobody answers at take their 3 s each. Fifty places have 3,000 s in a minute, so that
 * twelve projects whose clusters all hang leave the others theirs.
 */
const PROJECT_BUDGET_MS = 240_000

/**
 * What one run did to clusters. `owed`: control planes that are still to be informed of a member's health, at a later observation. `putOff`: left to the next run, as
 * clusters of their project had used up its time.
 */
type ClusterReport = { looked: number; changed: number; failed: number; owed: number; putOff: number }
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

/** Reads on behalf of the cluster's project. */
const withProject = (ports: Ports, { projectId }: Cluster): Ports => ({
  ...ports,
  connect: connectWithin(ports.connect, { ...SWEEP_LIMITS, projectId }),
})

/** One observation. What was seen is stored before control planes are informed of it: one that hangs must not keep it from being known. */
const sweepOne = async (sweep: Sweep, registered: Cluster): Promise<{ changed: boolean; owed: number }> => {
  const ports = withProject(sweep.ports, registered)
  const probed = await probeCluster({ ...sweep, ports }, registered)
  const { cluster, seen } = probed
  const { observation: stored } = cluster
  const next = { ...seen, healthStatus: healthAfter(stored, seen) }
  const changed = differs(stored, next)
  if (changed && !(await record(ports, cluster, next))) return { changed: false, owed: 0 }
  const moved = mayComeUp(cluster) ? await resumeCreate(ports, probed) : await takeGroups(ports, probed)
  return { changed: changed || moved, owed: await reportToControlPlanes(ports, { ...cluster, observation: next }) }
}

const sharesOf = ({ clock }: Ports): Shares => ({
  limit: PARALLEL_MAX,
  share: PROJECT_PARALLEL_MAX,
  budgetMs: PROJECT_BUDGET_MS,
  turn: minuteOf(clock.now()),
})

const sweepEach = async (sweep: Sweep): Promise<ClusterReport> => {
  const { ports } = sweep
  const report: ClusterReport = { looked: 0, changed: 0, failed: 0, owed: 0, putOff: 0 }
  report.putOff = await inShares(ports.stores.work.clusters(), sharesOf(ports), async (key) => {
    try {
      const cluster = await ports.stores.clusters.get(key)
      if (cluster === undefined || !isWatched(cluster) || !isDue(cluster, ports.clock.now())) return
      report.looked += 1
      const { changed, owed } = await sweepOne(sweep, cluster)
      report.changed += changed ? 1 : 0
      report.owed += owed
    } catch (error) {
      report.failed += 1
      const reported = isAppError(error) ? { error: error.name, message: error.message } : { error }
      ports.log.error('cluster not swept', { projectId: key.projectId, clusterId: key.id, ...reported })
    }
  })
  return report
}

/** A management cluster is asked for all the clusters that are made through it over one connection; one that is down, once. */
const sweepClusters = async (ports: Ports): Promise<ClusterReport> => {
  const clients = managementClients(ports, { remembersFailures: true })
  try {
    return await sweepEach({ ports: { ...ports, connect: connectWithin(ports.connect, SWEEP_LIMITS) }, clients })
  } finally {
    clients.close()
  }
}

/**
 * Checks the health of all registered clusters that are due: healthy ones each fifth minute, the others each minute, at most 50 at a
 * time and 10 of one project, which has 240 s of observations in a run. Writes only what changed; a health that changed for two observations running degrades or heals the cluster's memberships, and the
 * control planes are informed of it. Then likewise at the control planes of federations, which say more of their members.
 */
export const sweepHealth = async (ports: Ports): Promise<SweepReport> => {
  const clusters = await sweepClusters(ports)
  const federations = await sweepControlPlanes(ports)
  await beat(ports, 'health-sweep')
  return { ...clusters, federations }
}
