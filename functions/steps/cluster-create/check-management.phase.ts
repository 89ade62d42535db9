import type { Cluster, ClusterChange } from '../../domain/cluster.ts'
import { changesOf } from '../../operations/changes.ts'
import { untilNoConflict } from '../../operations/conflict.ts'
import { isManagementCluster } from '../../operations/management.ts'
import { demandManagementFit, managementReady } from '../../operations/management-check.ts'
import { openCluster, type Target } from '../../operations/subjects.ts'
import type { BoundPhase } from '../loop/loop.ts'
import type { StepPorts } from '../step.ts'

/** Seconds: some reads. */
const DEADLINE_SECONDS = 300

const check = async (ports: StepPorts, target: Target): Promise<void> => {
  const read = await openCluster(ports, target)
  if (!isManagementCluster(read)) return
  const warnings = await demandManagementFit(ports, read)
  await untilNoConflict(async () => {
    const cluster = await openCluster(ports, target)
    const change = changesOf<ClusterChange>(cluster, { conditions: managementReady(ports, cluster, warnings) })
    if (Object.keys(change).length > 0) await ports.stores.commit([ports.stores.clusters.change(cluster, change)])
  })
}

/**
 * The last phase of registering a management cluster, after its own driver's: the driver that is to make clusters through it looks at it. None
 * for other clusters.
 */
export const managementPhases = (ports: StepPorts, target: Target, cluster: Cluster): BoundPhase[] =>
  isManagementCluster(cluster)
    ? [
        {
          id: 'check-management',
          title: `fitness as a management cluster of ${cluster.management.driver}`,
          deadlineSeconds: DEADLINE_SECONDS,
          ensure: async () => {
            await check(ports, target)
            return { done: true }
          },
        },
      ]
    : []
