import { promotedFacts } from '../../core/access/cluster-candidate.ts'
import { managementAccess, type OpenManagementAccess } from '../../core/access/management-access.ts'
import { openBy } from '../../core/access/open-cluster.ts'
import { changesOf } from '../../core/cluster/changes.ts'
import type { Cluster, ClusterChange } from '../../core/cluster/cluster.ts'
import { isManagementCluster, type ManagementCluster } from '../../core/cluster/management.ts'
import { managementReady, requireManagementFit } from '../../core/cluster/management-check.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { openCluster, type Target } from '../../core/operation/subjects.ts'
import { candidateCredential } from '../entities/cluster-results.ts'
import type { BoundPhase } from '../loop.ts'
import type { StepPorts } from '../step.ts'

/** Seconds: some reads. */
const DEADLINE_SECONDS = 300

/** How a management cluster is reached for the look. */
type Open = (ports: StepPorts, cluster: ManagementCluster) => Promise<OpenManagementAccess>

const asStored: Open = async (ports, cluster) => managementAccess(ports, cluster)

/** With what an update brought, which is not in force yet. */
const asCandidate: Open = async (ports, cluster) => {
  const { change } = await promotedFacts(ports, cluster)
  const moved = { ...cluster, ...change, management: cluster.management }
  return managementAccess(ports, moved, async () => openBy(ports, moved, await candidateCredential(ports, cluster)))
}

const check = async (ports: StepPorts, target: Target, open: Open): Promise<void> => {
  const read = await openCluster(ports, target)
  if (!isManagementCluster(read)) return
  const warnings = await requireManagementFit(ports, read, await open(ports, read))
  await retryOnConflict(async () => {
    const cluster = await openCluster(ports, target)
    const change = changesOf<ClusterChange>(cluster, { conditions: managementReady(ports, cluster, warnings) })
    if (Object.keys(change).length > 0) await ports.stores.commit([ports.stores.clusters.change(cluster, change)])
  })
}

const phases = (ports: StepPorts, target: Target, cluster: Cluster, open: Open): BoundPhase[] =>
  isManagementCluster(cluster)
    ? [
        {
          id: 'check-management',
          title: `fitness as a management cluster of ${cluster.management.driver}`,
          deadlineSeconds: DEADLINE_SECONDS,
          ensure: async () => {
            await check(ports, target, open)
            return { done: true }
          },
        },
      ]
    : []

/**
 * The last phase of registering a management cluster, after its own driver's: the driver that is to make clusters through it looks at it. None
 * for other clusters.
 */
export const managementPhases = (ports: StepPorts, target: Target, cluster: Cluster): BoundPhase[] =>
  phases(ports, target, cluster, asStored)

/** The same for another credential, before the old one is given up: with one that may do less, nothing of all projects would go on. */
export const managementPhasesOfCredential = (ports: StepPorts, target: Target, cluster: Cluster): BoundPhase[] =>
  cluster.task?.kind === 'credential' ? phases(ports, target, cluster, asCandidate) : []
