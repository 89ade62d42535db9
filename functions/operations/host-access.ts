import type { Federation } from '../domain/federation.ts'
import { clusterAccess, goneClusterAccess, type OpenClusterAccess } from './cluster-access.ts'
import type { AccessPorts } from './open-cluster.ts'

/** A way to the host of a federation, also when its cluster is no longer registered. The maker closes it. */
export const hostAccess = async (ports: AccessPorts, federation: Federation): Promise<OpenClusterAccess> => {
  const key = { projectId: federation.projectId, id: federation.hostClusterId }
  const cluster = await ports.stores.clusters.get(key)
  return cluster === undefined ? goneClusterAccess({ ...key, name: 'host' }) : clusterAccess(ports, cluster)
}
