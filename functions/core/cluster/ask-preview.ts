import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import { kubeconfigKey } from '../access/credentials.ts'
import { managementClients } from '../access/management-access.ts'
import type { Ports } from '../ports.ts'
import { clusterContext } from './cluster-context.ts'
import { replacesRunning } from './cluster-tasks.ts'

/** A change that has to wait is checked when its turn comes: what runs may be what it builds on. */
const waits = ({ cluster, task }: PlannedCluster): boolean =>
  task !== null && cluster.operation !== null && !replacesRunning(cluster, task)

/**
 * Asks whoever makes the cluster whether he takes it, or the change of it, after the driver's own check and before anything is stored.
 * Nothing is asked for drivers that can't, and for changes that have to wait; one that takes the place of what runs begins at once.
 *
 * @throws ChangeRefused with his words, and errors of reaching him
 */
export const askPreview = async (ports: Ports, plan: PlannedCluster): Promise<void> => {
  const { cluster, nodeGroups, task } = plan
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  if (driver.preview === undefined || waits(plan)) return
  const clients = managementClients(ports)
  try {
    const context = clusterContext(ports, cluster, {
      nodeGroups,
      task,
      undoing: false,
      credential: () => ports.stores.credentials.get(kubeconfigKey(cluster)),
      // Nothing is claimed before it is there.
      claimIdentity: () => Promise.resolve(),
      clients,
    })
    await driver.preview(context)
  } finally {
    clients.close()
  }
}
