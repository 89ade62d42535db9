import type { Cluster } from '../../core/cluster/cluster.ts'
import { createAgain } from '../../core/cluster/create-again.ts'
import { cloudNameWrites } from '../../core/cluster/create-cluster.ts'
import { reportedGroups } from '../../core/cluster/node-group-results.ts'
import { GROUPS_IN_COMMIT } from '../../core/cluster/node-group-writes.ts'
import { storeObservation, withSince } from '../../core/cluster/observed-health.ts'
import type { Ports } from '../../core/ports.ts'
import { SWEEP_LIMITS } from '../../kubernetes/bounds.ts'
import { connectWithin } from '../../kubernetes/connect-until.ts'
import { RevisionConflict } from '../../store/errors.ts'
import { moveMembers } from './members.ts'
import { type Probe, probeCluster, type Sweep } from './probe.ts'
import { repairMember } from './repair.ts'
import { reportToControlPlanes } from './report.ts'
import { differs, healthAfter, isConfirmed, mayComeUp } from './verdict.ts'

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

/** Reads on behalf of the cluster's project. */
const withProject = (ports: Ports, { projectId }: Cluster): Ports => ({
  ...ports,
  connect: connectWithin(ports.connect, { ...SWEEP_LIMITS, projectId }),
})

/** What came of an observation. `owed`: control planes that are still to be informed. `isSettled`: it agrees with the health that is shown. */
type Observed = { changed: boolean; owed: number; isSettled: boolean }

/** One observation. What was seen is stored before control planes are informed of it: one that hangs must not keep it from being known. */
export const observeCluster = async (sweep: Sweep, registered: Cluster): Promise<Observed> => {
  const ports = withProject(sweep.ports, registered)
  const probed = await probeCluster({ ...sweep, ports }, registered)
  const { cluster, seen } = probed
  const { observation: stored } = cluster
  const next = withSince(stored, { ...seen, healthStatus: healthAfter(stored, seen) })
  const changed = differs(stored, next)
  await moveMembers(ports, cluster, next)
  if (changed && !(await storeObservation(ports, cluster, next))) return { changed: false, owed: 0, isSettled: false }
  // Those of earlier releases are not found by it yet.
  if (changed) await ports.stores.commit(cloudNameWrites(ports, cluster))
  const moved = mayComeUp(cluster) ? await resumeCreate(ports, probed) : await takeGroups(ports, probed)
  const owed = await reportToControlPlanes(ports, { ...cluster, observation: next })
  const isRepaired = await repairMember(ports, cluster, next)
  return {
    changed: changed || moved || isRepaired,
    owed,
    isSettled: next.healthStatus === 'UNKNOWN' || isConfirmed(next),
  }
}
