import { goneClusterAccess, intactAccess, type OpenClusterAccess } from '../access/cluster-access.ts'
import type { AccessPorts } from '../access/open-cluster.ts'
import type { Federation } from './federation.ts'

/** A way to the host of a federation, also when its cluster is no longer registered. The maker closes it. */
export const hostAccess = async (ports: AccessPorts, federation: Federation): Promise<OpenClusterAccess> => {
  const key = { projectId: federation.projectId, id: federation.hostClusterId }
  const cluster = await ports.stores.clusters.get(key)
  return cluster === undefined
    ? goneClusterAccess({ ...key, name: 'host' })
    : intactAccess(ports, cluster, () => ports.stores.integrity.requireFederation(federation))
}
