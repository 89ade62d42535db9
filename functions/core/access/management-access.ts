import type { ManagementAccess } from '../../drivers/contract/cluster-driver.ts'
import { ManagementMissing } from '../../drivers/contract/errors.ts'
import type { KubernetesClient } from '../../kubernetes/client.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { type ManagementCluster, managementOf } from '../cluster/management.ts'
import { clusterAccess, type OpenClusterAccess } from './cluster-access.ts'
import { managementClient, managementFault } from './management-client.ts'
import type { AccessPorts } from './open-cluster.ts'

/** Ways to management clusters, one to each, whichever cluster it is asked for. Whoever made them calls `close()`. */
export type ManagementClients = {
  /** The way to the management cluster of a cluster; connects at the first `client()`, whose faults are ManagementUnreachable. @throws ManagementMissing, ItemAltered */
  to(cluster: Cluster): Promise<ManagementAccess>
  close(): void
}

export type DoorOptions = {
  /** True: one that could not be opened is not tried again, for runs over many clusters. Default: each call tries. */
  remembersFailures?: boolean
}

/** A way to a management cluster that its maker closes. */
export type OpenManagementAccess = OpenClusterAccess & ManagementAccess

/** A way to a cluster as a management cluster. The maker closes it. `open`: another access than the stored one. */
export const managementAccess = (
  ports: AccessPorts,
  cluster: ManagementCluster,
  open?: () => Promise<KubernetesClient>,
): OpenManagementAccess => ({
  ...clusterAccess(ports, cluster, open),
  options: cluster.management.options,
})

const missing = ({ name, id, madeThrough }: Cluster): ManagementMissing =>
  new ManagementMissing(
    madeThrough === undefined || madeThrough === null
      ? `Cluster ${name} (${id}) is made through no management cluster.`
      : `The management cluster ${madeThrough.id}, through which cluster ${name} (${id}) is made, is no longer registered as one.`,
  )

/** The same for those whose clusters it makes: its faults are `ManagementUnreachable`. */
const forTenants = (access: OpenManagementAccess): OpenManagementAccess => {
  const { name } = access.cluster
  return {
    ...access,
    client: async () => {
      try {
        return managementClient(await access.client(), name)
      } catch (error) {
        throw managementFault(name, error)
      }
    },
  }
}

/** The same, but asks for a client once only, whatever becomes of that. */
const openedOnce = (access: OpenManagementAccess): OpenManagementAccess => {
  let client: Promise<KubernetesClient> | undefined
  return {
    ...access,
    client: () => {
      client ??= access.client()
      return client
    },
  }
}

/** Opens nothing yet: a management cluster is read when it is first asked for. */
export const managementClients = (
  ports: AccessPorts,
  { remembersFailures = false }: DoorOptions = {},
): ManagementClients => {
  const ways = new Map<string, Promise<OpenManagementAccess | undefined>>()
  const opened: OpenManagementAccess[] = []
  const open = async (cluster: Cluster): Promise<OpenManagementAccess | undefined> => {
    const management = await managementOf(ports, cluster)
    if (management === undefined) return undefined
    await ports.stores.integrity.requireCluster(management)
    const access = forTenants(managementAccess(ports, management))
    opened.push(access)
    return remembersFailures ? openedOnce(access) : access
  }
  const wayTo = (cluster: Cluster): Promise<OpenManagementAccess | undefined> => {
    const id = cluster.madeThrough?.id ?? ''
    const way = ways.get(id) ?? open(cluster)
    ways.set(id, way)
    way.catch(() => ways.delete(id))
    return way
  }
  return {
    to: async (cluster) => {
      const way = await wayTo(cluster)
      if (way === undefined) throw missing(cluster)
      return way
    },
    close: () => {
      for (const access of opened) access.close()
    },
  }
}
