import { isAppError } from '../../../../../core/values/app-error.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import { secrets } from '../../../../../kubernetes/resources.ts'
import type { ClusterContext, ClusterPhase } from '../../../../contract/cluster-driver.ts'
import { pagesOf } from '../../../../support/pages.ts'
import { Pending } from '../../../../support/step.ts'
import { presentCluster, requireOf } from '../management/owned.ts'
import { getServed, listServed, type ManagementSite, managementSite, readSnapshot } from '../management/snapshot.ts'
import { CLUSTER_LABEL, CLUSTER_NAME_LABEL, clusters } from '../model/names.ts'
import { BALANCERS, isTimedOut, sinceState } from '../model/state.schema.ts'
import { clusterResourceSets } from '../render/addons.ts'
import { inCluster } from '../status/access.ts'
import { deletionProgress } from '../status/progress.ts'
import { managementPhase } from './phase.ts'
import { putCloudSecret } from './secrets.ts'

/**
 * The first phase of a deletion: machines are removed with the credential in the Secret, and the one that is there may be of a user who has
 * left the project (decision 0018). Where there is no Cluster there is nothing that would need it.
 */
const renewCredential = managementPhase(
  { id: 'renew-credential', title: 'hand over the credential of the cloud' },
  async (context, site) => {
    if (site.infrastructure !== 'openstack') return {}
    if ((await presentCluster(site, context.cluster)) === undefined) return {}
    if ((await context.cloudCredential()) !== undefined) await putCloudSecret(site, context)
    return {}
  },
)

const SERVICES = { group: '', version: 'v1', plural: 'services' }

/** Seconds that load balancers may take; then the cluster goes without them. The phase itself is longer, so that it never fails. */
const BALANCERS_SECONDS = 300
const BALANCERS_PHASE_SECONDS = 900

/** Seconds for all machines to be drained and gone. */
const CLUSTER_SECONDS = 3300
/** Milliseconds for reading Services in one observation: the step has to come to its end to note since when it waits. */
const READ_MS = 20_000

const balancerOf = (service: string): string => `the load balancer of Service ${service} to be gone`

const isBalancer = ({ spec }: KubernetesObject): boolean =>
  typeof spec === 'object' && spec !== null && 'type' in spec && spec.type === 'LoadBalancer'

/** Deletes those of a page that are not on their way. */
const removeFrom = async (client: KubernetesClient, found: readonly KubernetesObject[]): Promise<void> => {
  for (const { metadata } of found) {
    if (metadata.deletionTimestamp !== undefined) continue
    const { namespace = 'default', name, uid } = metadata
    await client.delete({ ...SERVICES, namespace }, name, uid === undefined ? {} : { uid })
  }
}

/**
 * Deletes them, and says what is still to be waited for. The cloud's load balancer is gone when the Service is. No page is kept, and there is an end to
 * it: the API server is its user's, who may have put something else in its place.
 */
const removeBalancers = async (client: KubernetesClient): Promise<string | undefined> => {
  const until = performance.now() + READ_MS
  let left: string | undefined
  for await (const page of pagesOf(client, SERVICES)) {
    const found = page.filter(isBalancer)
    await removeFrom(client, found)
    left ??= found.map(({ metadata }) => `${metadata.namespace ?? 'default'}/${metadata.name}`)[0]
    if (performance.now() > until) return left === undefined ? 'its Services to be read' : balancerOf(left)
  }
  return left && balancerOf(left)
}

/** What keeps the load balancers from being gone, in words; undefined when nothing does. */
const obstacle = async (context: ClusterContext): Promise<string | undefined> => {
  try {
    return await inCluster(context, removeBalancers)
  } catch (error) {
    if (!isAppError(error)) throw error
    return error.retryable ? `the cluster's API, to remove its load balancers: ${error.message}` : undefined
  }
}

/**
 * Services of type LoadBalancer go first: nothing would remove what they have made in the cloud once the cluster is gone, and networks could not be
 * removed either. A cluster that never was complete has none.
 */
const loadBalancers: ClusterPhase = {
  id: 'load-balancers',
  title: 'remove load balancers',
  deadlineSeconds: BALANCERS_PHASE_SECONDS,
  ensure: async (context) => {
    const { cluster } = context
    if (cluster.identity === null) return { done: true }
    const site = await managementSite(context)
    const object = await presentCluster(site, cluster)
    if (object === undefined || object.metadata.deletionTimestamp !== undefined) return { done: true }
    const waitingFor = await obstacle(context)
    if (waitingFor === undefined || isTimedOut(context, BALANCERS, BALANCERS_SECONDS)) return { done: true }
    return { done: false, waitingFor, state: sinceState(context, BALANCERS) }
  },
}

/**
 * Only the Cluster is deleted: Cluster API takes down the rest in its order. One of its name without its label keeps the cluster from being gone: its
 * machines could never be taken down once the Secrets are.
 */
const removeCluster = managementPhase(
  { id: 'cluster', title: 'wait for Cluster API to take it down', deadlineSeconds: CLUSTER_SECONDS },
  async (context, site) => {
    const { namespace, cluster: name } = site.names
    const snapshot = await readSnapshot(site)
    const { object } = snapshot
    if (object === undefined) return {}
    requireOf(site, context.cluster, object)
    if (object.metadata.deletionTimestamp === undefined) {
      const { uid } = object.metadata
      await site.client.delete(clusters(namespace), name, uid === undefined ? {} : { uid })
    }
    throw new Pending(deletionProgress(snapshot))
  },
)

/** Deletes those with the label. */
const removeLabelled = async (site: ManagementSite, resource: Resource, selector: string): Promise<void> => {
  for (const { metadata } of await listServed(site, resource, selector)) {
    await site.client.delete(resource, metadata.name, metadata.uid === undefined ? {} : { uid: metadata.uid })
  }
}

/**
 * Not before the Cluster is gone: without its credential nothing could be taken down. Those that Cluster API made have its own label only, and go by
 * themselves just where a garbage collector runs.
 */
const removeSecrets = managementPhase({ id: 'secrets', title: 'remove Secrets' }, async (context, site) => {
  const { names, infrastructure } = site
  const { namespace, cluster: name } = names
  // By force this comes also while Cluster API still needs them.
  if ((await getServed(site, clusters(namespace), name)) !== undefined) {
    throw new Pending(`Cluster ${namespace}/${name} to be gone, which needs its Secrets`)
  }
  const ours = `${CLUSTER_LABEL}=${context.cluster.id}`
  if (infrastructure === 'openstack') await removeLabelled(site, clusterResourceSets(namespace), ours)
  await removeLabelled(site, secrets(namespace), ours)
  await removeLabelled(site, secrets(namespace), `${CLUSTER_NAME_LABEL}=${name},!${CLUSTER_LABEL}`)
  return {}
})

/** Takes a cluster down from whatever state it is in. The namespace and the class stay, for other clusters of the project. */
export const deletePhases: readonly ClusterPhase[] = [renewCredential, loadBalancers, removeCluster, removeSecrets]
