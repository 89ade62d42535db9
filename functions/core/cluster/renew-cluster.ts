import type { ClusterKey } from '../../store/cluster.store.ts'
import type { TablePorts } from '../ports.ts'
import type { Cluster } from './cluster.ts'
import { requestTask } from './cluster-tasks.ts'

/** In these a cluster is there and takes a change. */
const AT_REST: readonly Cluster['status'][] = ['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_FAILED']

/** True when its application credentials are due and nothing runs on it. The index that it came from may lag. */
const isDue = ({ operation, status, cloud }: Cluster, now: string): boolean =>
  operation === null && AT_REST.includes(status) && cloud !== undefined && cloud !== null && cloud.renewAfter <= now

/** Renews a cluster's application credentials if they are due; true when that began. @throws RevisionConflict when something else began on the cluster */
export const renewCluster = async (ports: TablePorts, key: ClusterKey, now: string): Promise<boolean> => {
  const cluster = await ports.stores.clusters.get(key)
  if (cluster === undefined || !isDue(cluster, now)) return false
  await requestTask(ports, cluster, {
    task: { kind: 'rotate-credential' },
    said: {
      reason: 'RenewalDue',
      message: `The application credentials of cluster ${cluster.name} are being renewed.`,
    },
  })
  return true
}
