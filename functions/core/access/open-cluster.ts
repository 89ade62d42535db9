import { isDeepStrictEqual } from 'node:util'
import { CredentialMissing } from '../../drivers/contract/errors.ts'
import type { KubernetesClient } from '../../kubernetes/client.ts'
import {
  ClusterIdentityChanged,
  ConnectFailed,
  ConnectTimedOut,
  DnsLookupFailed,
  NotKubernetes,
  TlsVerificationFailed,
} from '../../kubernetes/errors.ts'
import { namespaces } from '../../kubernetes/resources.ts'
import { storedAuthority } from '../cluster/authorities.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { ownerEvent } from '../operation/events.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import type { Secret } from '../values/secret.ts'
import { kubeconfigKey } from './credentials.ts'

/** What opening a cluster needs. */
export type AccessPorts = Pick<Ports, 'stores' | 'drivers' | 'connect' | 'clock' | 'newId'>

/** What is seen when an endpoint no longer leads to its cluster: the address is nobody's, somebody else's, or has another authority. */
const ASTRAY = [
  ClusterIdentityChanged,
  ConnectFailed,
  ConnectTimedOut,
  DnsLookupFailed,
  NotKubernetes,
  TlsVerificationFailed,
]

/** @throws ClusterIdentityChanged when another cluster answers at the address (design section 6), NotKubernetes when nobody can tell */
const proveIdentity = async (cluster: Cluster, client: KubernetesClient): Promise<void> => {
  if (cluster.identity === null) return
  const namespace = await client.get(namespaces, 'kube-system')
  if (namespace?.metadata.uid === cluster.identity.uid) return
  if (namespace !== undefined && !namespace.metadata.uid) {
    throw new NotKubernetes(
      `The API server of cluster ${cluster.name} (${cluster.id}) tells no uid of its kube-system namespace, as those that are only simulated, so that nobody can tell which cluster answers. Such a cluster can be neither host nor member of a federation.`,
    )
  }
  throw new ClusterIdentityChanged(
    `The API server of cluster ${cluster.name} (${cluster.id}) is not the registered one: its kube-system namespace has ` +
      `${namespace === undefined ? 'gone' : 'another uid'}. Restore the cluster, or delete it and register the new one.`,
  )
}

/** Opens a cluster where it is stored to be, by a credential that need not be the stored one. The caller closes the client. @throws as `openClient` */
export const openBy = async (
  ports: AccessPorts,
  cluster: Cluster,
  credential: Secret | undefined,
): Promise<KubernetesClient> => {
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  if (!driver.capabilities.kubernetesApi) {
    throw new CredentialMissing(`Cluster ${cluster.name} (${cluster.id}) of driver ${driver.id} has no Kubernetes API.`)
  }
  const client = ports.connect(await driver.connection(cluster, credential, storedAuthority(ports, cluster)))
  try {
    await proveIdentity(cluster, client)
    return client
  } catch (error) {
    client.close()
    throw error
  }
}

/** Opens a cluster where it is stored to be, by its stored credential. The caller closes the client. @throws as `openClient` */
export const openStored = async (ports: AccessPorts, cluster: Cluster): Promise<KubernetesClient> => {
  await ports.stores.integrity.requireCluster(cluster)
  return openBy(ports, cluster, await ports.stores.credentials.get(kubeconfigKey(cluster)))
}

/** Stores where a cluster is by now, unless it is gone or was given another endpoint meanwhile. Nobody asked for it, whose request it may be. */
const storeMove = ({ stores, clock, newId }: AccessPorts, before: Cluster, { endpoint }: Cluster): Promise<void> =>
  retryOnConflict(async () => {
    const cluster = await stores.clusters.get(before)
    if (cluster === undefined || !isDeepStrictEqual(cluster.endpoint, before.endpoint)) return
    const said = { action: 'update', outcome: 'success', reason: 'EndpointMoved', notify: false } as const
    const message = `Cluster ${cluster.name} is at ${endpoint?.server} by now.`
    await stores.commit([
      stores.clusters.change(cluster, { endpoint }),
      ownerEvent({ stores, clock, newId }, 'cluster', cluster, { ...said, message }),
    ])
  })

/**
 * Looks for a cluster that is not where it was, with a driver that can ask. Stores the new endpoint when the very cluster answers there.
 *
 * @returns undefined when the driver can't ask, or knows no other endpoint; the caller closes the client
 * @throws ClusterIdentityChanged for another cluster, and the errors of the driver and of the client
 */
export const findMoved = async (
  ports: AccessPorts,
  cluster: Cluster,
): Promise<{ client: KubernetesClient; cluster: Cluster } | undefined> => {
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  if (driver.locate === undefined) return undefined
  await ports.stores.integrity.requireCluster(cluster)
  const credential = await ports.stores.credentials.get(kubeconfigKey(cluster))
  const endpoint = await driver.locate(cluster, credential)
  if (isDeepStrictEqual(endpoint, cluster.endpoint)) return undefined
  const moved: Cluster = { ...cluster, endpoint }
  const client = await openBy(ports, moved, credential)
  try {
    await storeMove(ports, cluster, moved)
    return { client, cluster: moved }
  } catch (error) {
    client.close()
    throw error
  }
}

/**
 * A client to a registered cluster, whose `kube-system` uid it compares. The caller closes it.
 *
 * @throws ClusterIdentityChanged, CredentialMissing, ItemAltered, and the errors of the driver and of `kubernetes/errors.ts`
 */
export const openClient = async (ports: AccessPorts, cluster: Cluster): Promise<KubernetesClient> => {
  try {
    return await openStored(ports, cluster)
  } catch (error) {
    if (!ASTRAY.some((kind) => error instanceof kind)) throw error
    const moved = await findMoved(ports, cluster)
    if (moved === undefined) throw error
    return moved.client
  }
}
