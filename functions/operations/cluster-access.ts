import { type Cluster, NO_MAGNUM_ATTRIBUTES } from '../domain/cluster.ts'
import type { ClusterAccess } from '../drivers/contract/cluster-access.ts'
import { CredentialMissing } from '../drivers/contract/errors.ts'
import type { KubernetesClient, Resource } from '../kubernetes/client.ts'
import { ClusterIdentityChanged } from '../kubernetes/errors.ts'
import type { Ports } from '../runtime/ports.ts'
import { kubeconfigKey } from './credentials.ts'
import { ClusterGone } from './errors.ts'

/** What opening a cluster needs. */
export type AccessPorts = Pick<Ports, 'stores' | 'drivers' | 'connect'>

/** Access that its maker closes: kept-alive connections end with the step. */
export type OpenClusterAccess = ClusterAccess & { close(): void }

const NAMESPACES: Resource = { group: '', version: 'v1', plural: 'namespaces' }

/** @throws ClusterIdentityChanged when another cluster answers at the address (design section 6) */
const proveIdentity = async (cluster: Cluster, client: KubernetesClient): Promise<void> => {
  if (cluster.identity === null) return
  const namespace = await client.get(NAMESPACES, 'kube-system')
  if (namespace?.metadata.uid === cluster.identity.uid) return
  throw new ClusterIdentityChanged(
    `The API server of cluster ${cluster.name} (${cluster.id}) is not the registered one: its kube-system uid is ` +
      `${namespace?.metadata.uid ?? 'absent'} and was ${cluster.identity.uid}. Restore the cluster, or delete it and register the new one.`,
  )
}

const open = async (ports: AccessPorts, cluster: Cluster): Promise<KubernetesClient> => {
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  if (!driver.capabilities.kubernetesApi) {
    throw new CredentialMissing(`Cluster ${cluster.name} (${cluster.id}) of driver ${driver.id} has no Kubernetes API.`)
  }
  const credential = await ports.stores.credentials.get(kubeconfigKey(cluster))
  const client = ports.connect(driver.connection(cluster, credential))
  try {
    await proveIdentity(cluster, client)
    return client
  } catch (error) {
    client.close()
    throw error
  }
}

/**
 * A way to a registered cluster's API. Opens at the first `client()`, which also compares the `kube-system` uid, once; a failure is not
 * remembered, so the next call tries again. The maker calls `close()`.
 */
export const clusterAccess = (ports: AccessPorts, cluster: Cluster): OpenClusterAccess => {
  let opened: Promise<KubernetesClient> | undefined
  let live: KubernetesClient | undefined
  return {
    cluster,
    client: () => {
      opened ??= open(ports, cluster).then(
        (client) => {
          live = client
          return client
        },
        (error: unknown) => {
          opened = undefined
          throw error
        },
      )
      return opened
    },
    close: () => live?.close(),
  }
}

/**
 * Stands for a cluster that is no longer registered, so that what it belonged to can still be taken down: its name and id are known,
 * its API is not. `client()` throws ClusterGone.
 */
export const goneClusterAccess = (gone: { projectId: string; id: string; name: string }): OpenClusterAccess => ({
  cluster: {
    ...gone,
    userId: '',
    driver: 'gone@1',
    revision: 1,
    status: 'DELETE_COMPLETE',
    statusReason: null,
    operation: null,
    task: null,
    queue: [],
    nodes: null,
    conditions: [],
    endpoint: null,
    identity: null,
    magnum: NO_MAGNUM_ATTRIBUTES,
    driverState: {},
    createdAt: new Date(0).toISOString(),
    updatedAt: null,
    observation: null,
    uses: [],
  },
  client: () =>
    Promise.reject(
      new ClusterGone(`Cluster ${gone.name} (${gone.id}) is no longer registered, so it can't be reached.`),
    ),
  close: () => undefined,
})
