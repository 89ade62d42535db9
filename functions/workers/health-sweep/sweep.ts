import { managementClients } from '../../core/access/management-access.ts'
import type { Ports } from '../../core/ports.ts'
import { loggedError } from '../../core/values/app-error.ts'
import { type SweepPart, WHOLE_SWEEP } from '../../core/values/workers.ts'
import { SWEEP_LIMITS } from '../../kubernetes/bounds.ts'
import { connectWithin } from '../../kubernetes/connect-until.ts'
import type { ClusterKey } from '../../store/cluster.store.ts'
import { beat } from '../heartbeat.ts'
import { inShares, type Shares } from '../in-shares.ts'
import { type ControlPlaneReport, sweepControlPlanes } from './control-planes.ts'
import { putOffOf, readDue, staleSeconds } from './due.ts'
import { removeExpiredAccounts } from './expired-accounts.ts'
import { removeLeftBehind } from './left-behind.ts'
import { observeCluster } from './observe-cluster.ts'
import { observeDue } from './observe-requested.ts'
import type { Sweep } from './probe.ts'

/** Clusters checked in parallel by all parts of the sweep, and by one. */
const ALL_PARALLEL_MAX = 100
const PARALLEL_MAX = 50

/** Of these, of one project: so many looks that read as much as they may need 20 MiB. */
const PROJECT_PARALLEL_MAX = 10
/** However many parts there are. */
const PROJECT_PARALLEL_MIN = 2

/**
 * Milliseconds of observations of one project in a run, by all parts: 120 clusters whose address nobody answers at take their 3 s each. Fifty places have 3,000 s
 * in a minute, so that twelve projects whose clusters all hang leave the others theirs. Clusters that answer within a second cost nothing of it.
 */
const PROJECT_BUDGET_MS = 240_000
const FREE_MS = 1_000

/** After so long no look is begun, milliseconds: the next run begins after 60 s, with what was put off. */
const RUN_MS = 50_000

/**
 * What one run did to clusters. `owed`: control planes that are still to be informed of a member's health, at a later observation. `putOff`: left to the next run, as
 * clusters of their project, or the run, had used up its time; `staleSeconds`: how long the one of them waits that waits longest.
 */
type ClusterReport = {
  looked: number
  changed: number
  failed: number
  owed: number
  putOff: number
  staleSeconds: number
}
/** What one run did. */
export type SweepReport = ClusterReport & { federations: ControlPlaneReport }

const sharesOf = ({ of }: SweepPart, runMs: number): Shares => {
  const limit = Math.min(PARALLEL_MAX, Math.floor(ALL_PARALLEL_MAX / of))
  const share = Math.max(PROJECT_PARALLEL_MIN, Math.floor((limit * PROJECT_PARALLEL_MAX) / PARALLEL_MAX))
  return { limit, share, budgetMs: PROJECT_BUDGET_MS / of, freeMs: FREE_MS, runMs, turn: 0 }
}

/** @param runMs after which no look is begun. Default: 50 s */
export type SweepOptions = { part?: SweepPart; runMs?: number }

const sweepEach = async (
  sweep: Sweep,
  { part = WHOLE_SWEEP, runMs = RUN_MS }: SweepOptions,
): Promise<ClusterReport> => {
  const { ports } = sweep
  const { stores, clock, log } = ports
  const report = { looked: 0, changed: 0, failed: 0, owed: 0 }
  const failed = ({ projectId, id: clusterId }: ClusterKey, error: unknown): void => {
    report.failed += 1
    const reported = loggedError(error)
    log.error('cluster not swept', { projectId, clusterId, ...reported })
  }
  const begun = performance.now()
  const putOff = await stores.putOff.get(part)
  const due = await readDue(ports, stores.work.clusters(part), { putOff, failed })
  const shares = sharesOf(part, runMs - (performance.now() - begun))
  const left = await inShares(due, shares, async ({ cluster }) => {
    try {
      report.looked += 1
      const { changed, owed } = await observeCluster(sweep, cluster)
      report.changed += changed ? 1 : 0
      report.owed += owed
    } catch (error) {
      failed(cluster, error)
    }
  })
  if (left.length > 0 || Object.keys(putOff).length > 0) {
    await stores.commit([stores.putOff.replace(part, putOffOf(left), clock.now().toISOString())])
  }
  return { ...report, putOff: left.length, staleSeconds: staleSeconds(left, clock.now()) }
}

/** A management cluster is asked for all the clusters that are made through it over one connection; one that is down, once. */
const sweepClusters = async (ports: Ports, options: SweepOptions): Promise<ClusterReport> => {
  const clients = managementClients(ports, { remembersFailures: true })
  try {
    return await sweepEach(
      { ports: { ...ports, connect: connectWithin(ports.connect, SWEEP_LIMITS) }, clients },
      options,
    )
  } finally {
    clients.close()
  }
}

/**
 * Checks the health of all registered clusters that are due, or of a part of them: healthy ones each fifth minute, the others each minute, at most 100 at a
 * time in all parts, and a fifth of them of one project, which has 240 s of slow observations in a run. Writes only what changed; a health that changed for two observations running degrades or heals the cluster's memberships, and the
 * control planes are informed of it. Then likewise at the control planes of federations, which say more of their members. Beside the clusters,
 * those that somebody asked to observe and that were lost on their way: clusters that hang hold up no sweep. And accounts of people whose kubeconfigs have
 * expired are removed, as is what federations left in clusters that are well again. The first part does that, and reports for all.
 */
export const sweepHealth = async (ports: Ports, options: SweepOptions = {}): Promise<SweepReport> => {
  const { part = WHOLE_SWEEP } = options
  const isFirst = part.index === 0
  const beside = isFirst ? [observeDue(ports), removeExpiredAccounts(ports)] : []
  const [clusters] = await Promise.all([sweepClusters(ports, options), ...beside])
  if (isFirst) await removeLeftBehind(ports)
  const federations = await sweepControlPlanes(ports, part)
  if (isFirst) await beat(ports, 'health-sweep')
  return { ...clusters, federations }
}
