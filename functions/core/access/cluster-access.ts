import type { ClusterAccess } from '../../drivers/contract/cluster-access.ts'
import type { KubernetesClient } from '../../kubernetes/client.ts'
import { ItemAltered } from '../../store/errors.ts'
import { type Cluster, NO_MAGNUM_ATTRIBUTES } from '../cluster/cluster.ts'
import { ClusterGone } from '../errors.ts'
import { isAppError } from '../values/app-error.ts'
import { type AccessPorts, openClient } from './open-cluster.ts'

/** Access that its maker closes: it gives its connections back with the step. */
export type OpenClusterAccess = ClusterAccess & { close(): void }

/**
 * A way to a registered cluster's API. Opens at the first `client()`, which also compares the `kube-system` uid, once; a failure is not
 * remembered, so the next call tries again. The maker calls `close()`. `open`: another access than the stored one.
 */
export const clusterAccess = (
  ports: AccessPorts,
  cluster: Cluster,
  open: () => Promise<KubernetesClient> = () => openClient(ports, cluster),
): OpenClusterAccess => {
  let opened: Promise<KubernetesClient> | undefined
  let live: KubernetesClient | undefined
  const client = (): Promise<KubernetesClient> => {
    opened ??= open().then(
      (made) => {
        live = made
        return made
      },
      (error: unknown) => {
        opened = undefined
        throw error
      },
    )
    return opened
  }
  return {
    cluster,
    client,
    dial: (pod) => async () => (await client()).forward(pod),
    close: () => live?.close(),
  }
}

/** Has the message of a failure say something else. */
type Wording = (message: string) => string

/** Runs a call, and has whatever it fails with say what the wording makes of its message. */
const saying = async <T>(wording: Wording, call: () => T | Promise<T>): Promise<T> => {
  try {
    return await call()
  } catch (error) {
    if (isAppError(error)) error.message = wording(error.message)
    throw error
  }
}

/** The same client, all of whose failures are worded so. */
const wordedClient = (client: KubernetesClient, wording: Wording): KubernetesClient =>
  new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== 'function' || name === 'close') return value
      return (...given: unknown[]) => saying(wording, () => Reflect.apply(value, target, given))
    },
  })

const wordedAccess = (access: OpenClusterAccess, wording: Wording): OpenClusterAccess => ({
  ...access,
  client: () => saying(wording, async () => wordedClient(await access.client(), wording)),
})

/** The same access for work whose failures others read: messages name addresses, which are the cluster's owner's to see. The names of failures stay. */
export const discreetAccess = (access: OpenClusterAccess, sentence: string): OpenClusterAccess =>
  wordedAccess(access, () => sentence)

/** The same access, whose failures name the cluster by role, name and id: of an address nobody knows whose it is. */
export const namedAccess = (access: OpenClusterAccess, role: 'Host' | 'Member'): OpenClusterAccess => {
  const { name, id } = access.cluster
  return wordedAccess(access, (message) => (message.includes(id) ? message : `${role} ${name} (${id}): ${message}`))
}

/** Stands for a cluster that must not be used: nobody learns of an address. `client()` throws the reason. */
const refusedAccess = (cluster: Cluster, reason: ItemAltered): OpenClusterAccess => {
  const refused = () => Promise.reject(reason)
  return { cluster: { ...cluster, endpoint: null }, client: refused, dial: () => refused, close: () => undefined }
}

/**
 * As `clusterAccess`, once all that is stored about the use of the cluster is as fedplane wrote it; else an access whose `client()` throws ItemAltered, so
 * that what is being taken down still comes to an end.
 */
export const intactAccess = async (
  ports: AccessPorts,
  cluster: Cluster,
  requireUse: () => Promise<void>,
): Promise<OpenClusterAccess> => {
  try {
    await requireUse()
    await ports.stores.integrity.requireCluster(cluster)
    return clusterAccess(ports, cluster)
  } catch (error) {
    if (!(error instanceof ItemAltered)) throw error
    return refusedAccess(cluster, error)
  }
}

/**
 * Stands for a cluster that is no longer registered, so that what it belonged to can still be taken down: its name and id are known,
 * its API is not. `client()` throws ClusterGone.
 */
export const goneClusterAccess = (gone: { projectId: string; id: string; name: string }): OpenClusterAccess => {
  const unreachable = () =>
    Promise.reject(
      new ClusterGone(`Cluster ${gone.name} (${gone.id}) is no longer registered, so it can't be reached.`),
    )
  return {
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
    client: unreachable,
    dial: () => unreachable,
    close: () => undefined,
  }
}
