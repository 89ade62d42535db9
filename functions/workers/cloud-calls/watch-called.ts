import { watchCluster } from '../../core/cluster/observe-commands.ts'
import type { TablePorts } from '../../core/ports.ts'
import type { CloudCall } from '../../drivers/contract/cluster-driver-description.ts'
import type { ClusterKey } from '../../store/cluster.store.ts'
import { ClusterNotUsable } from '../../store/errors.ts'

type CallPorts = Pick<TablePorts, 'stores' | 'clock' | 'log' | 'drivers'>

const watchOne = async (ports: CallPorts, key: ClusterKey, call: CloudCall, ownAccount: string): Promise<number> => {
  const cluster = await ports.stores.clusters.get(key)
  if (cluster === undefined || !call.isOf(cluster, ownAccount)) return 0
  try {
    await watchCluster(ports, { projectId: key.projectId, clusterId: key.id })
    return 1
  } catch (error) {
    if (error instanceof ClusterNotUsable) return 0
    throw error
  }
}

/**
 * Has the clusters observed that a call of the cloud's API is about, in whichever projects they are registered. Nothing of the event counts but which
 * cluster it names. One that names none is logged, and observes nothing.
 *
 * @param event of EventBridge
 * @param ownAccount of the installation
 */
export const watchCalled = async (
  ports: CallPorts,
  event: unknown,
  ownAccount: string,
): Promise<{ watched: number }> => {
  const calls = ports.drivers.cluster.list().flatMap((driver) => driver.cloud?.parse(event) ?? [])
  if (calls.length === 0) ports.log.warn('call of the cloud names no cluster')
  let watched = 0
  for (const call of calls) {
    const keys = await ports.stores.clusters.findByCloudName(call.name)
    for (const key of keys) watched += await watchOne(ports, key, call, ownAccount)
    ports.log.info('call of the cloud', { name: call.name, watched })
  }
  return { watched }
}
