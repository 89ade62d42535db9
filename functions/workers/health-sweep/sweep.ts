import { managementClients } from '../../core/access/management-access.ts'
import type { Ports } from '../../core/ports.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { SWEEP_LIMITS } from '../../kubernetes/bounds.ts'
import { connectWithin } from '../../kubernetes/connect-until.ts'
import { beat } from '../heartbeat.ts'
import { inShares, type Shares } from '../in-shares.ts'
import { type ControlPlaneReport, sweepControlPlanes } from './control-planes.ts'
import { removeExpiredAccounts } from './expired-accounts.ts'
import { removeLeftBehind } from './left-behind.ts'
import { observeCluster } from './observe-cluster.ts'
import { observeDue } from './observe-requested.ts'
import type { Sweep } from './probe.ts'
import { isDue, isWatched, minuteOf } from './verdict.ts'

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
      const { changed, owed } = await observeCluster(sweep, cluster)
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
 * control planes are informed of it. Then likewise at the control planes of federations, which say more of their members. Beside the clusters,
 * those that somebody asked to observe and that were lost on their way: clusters that hang hold up no sweep. And
 * accounts of people whose kubeconfigs have expired are removed, as is what federations left in clusters that are well again.
 */
export const sweepHealth = async (ports: Ports): Promise<SweepReport> => {
  const [clusters] = await Promise.all([sweepClusters(ports), observeDue(ports), removeExpiredAccounts(ports)])
  await removeLeftBehind(ports)
  const federations = await sweepControlPlanes(ports)
  await beat(ports, 'health-sweep')
  return { ...clusters, federations }
}
