import { accountUser, makeAccount, withdraw } from '../../core/access/cluster-people.ts'
import { requireNoCredentialsIn } from '../../core/access/credential-namespaces.ts'
import { openClient } from '../../core/access/open-cluster.ts'
import type { Cluster, ClusterEndpoint } from '../../core/cluster/cluster.ts'
import { InvalidRequest, StateConflict } from '../../core/errors.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { isReservedNamespace } from '../../core/values/kubernetes.ts'
import { Secret } from '../../core/values/secret.ts'
import { quote, withoutFullStop } from '../../core/values/wording.ts'
import type { KubeconfigOffer } from '../../drivers/contract/federation-driver-description.ts'
import type { KubernetesClient } from '../../kubernetes/client.ts'
import { PermissionDenied } from '../../kubernetes/errors.ts'
import { writeKubeconfig } from '../../kubernetes/kubeconfig/write-kubeconfig.ts'
import type { IssuedKubeconfig } from '../../store/inventory.store.ts'
import { type FreshKubeconfig, kubeconfigAnswer, recordOf, rightsInWords } from '../kubeconfigs/answer-kubeconfig.ts'
import { requireOffered, type WantedKubeconfig, wantedKubeconfig } from '../kubeconfigs/kubeconfig.schema.ts'
import { requireKubeconfigRule } from '../policy.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { findIntactCluster } from './find-cluster.ts'

type Request = KeysRequest<{ expires_in?: number | undefined }, Parameters<typeof wantedKubeconfig>[0]['body']>

/** An editor of all namespaces reads every Secret and takes on every ServiceAccount: that is an administrator. */
const OFFER: KubeconfigOffer = {
  roles: { viewer: ['all', 'namespace'], editor: ['namespace'], admin: ['all', 'namespace'] },
  namespaceFault: (namespace) =>
    isReservedNamespace(namespace)
      ? `Namespace ${namespace} has accounts of the cluster's own, and no kubeconfig is for it. Name a namespace of your own.`
      : undefined,
}

type Ready = Cluster & { endpoint: ClusterEndpoint }

/** @throws InvalidRequest naming the driver, StateConflict */
const requireReady = ({ ports }: Request, cluster: Cluster): Ready => {
  const { name, id, driver, status, endpoint, identity } = cluster
  if (!ports.drivers.cluster.resolve(driver).capabilities.kubernetesApi) {
    throw new InvalidRequest(
      `Clusters of the driver ${driver} have no Kubernetes API that fedplane talks to, and so no kubeconfig with a role.`,
    )
  }
  const isGoing = status.startsWith('DELETE_') || status.startsWith('CREATE_IN') || status === 'CREATE_FAILED'
  if (!isGoing && endpoint !== null && identity !== null) return { ...cluster, endpoint }
  throw new StateConflict(`Cluster ${quote(name)} (${id}) is ${status}; a kubeconfig is given while it is there.`)
}

const findReady = async (request: Request, { seconds: _, ...rights }: WantedKubeconfig): Promise<Ready> => {
  requireKubeconfigRule(request, rights)
  const cluster = await findIntactCluster(request)
  requireKubeconfigRule(request, rights, cluster)
  const ready = requireReady(request, cluster)
  requireOffered(`Cluster ${quote(cluster.name)}`, OFFER, rights)
  await requireNoCredentialsIn(request.ports, cluster, rights)
  return ready
}

/** Before anything is made, so that whatever is made is found. */
const remember = (request: Request, wanted: WantedKubeconfig): Promise<{ cluster: Ready; issued: IssuedKubeconfig }> =>
  retryOnConflict(async () => {
    const { stores, clock } = request.ports
    const cluster = await findReady(request, wanted)
    const expiresAt = new Date(clock.now().getTime() + wanted.seconds * 1000).toISOString()
    const issued = recordOf(
      request,
      { kind: 'cluster', projectId: cluster.projectId, id: cluster.id },
      { ...wanted, expiresAt },
    )
    await stores.commit([stores.clusters.change(cluster, {}, { usesAsRead: true }), stores.inventory.remember(issued)])
    return { cluster, issued }
  })

const make = async (
  client: KubernetesClient,
  cluster: Ready,
  issued: IssuedKubeconfig,
  seconds: number,
): Promise<FreshKubeconfig> => {
  const { token, expiresAt } = await makeAccount(client, { cluster: cluster.id, issued }, seconds)
  const { server, caPem, tlsServerName, tlsVerify } = cluster.endpoint
  const text = writeKubeconfig({
    name: cluster.name,
    user: accountUser({ cluster: cluster.id, issued }),
    namespace: issued.namespace ?? undefined,
    server,
    ...(caPem === null ? {} : { caPem }),
    ...(tlsServerName === null ? {} : { tlsServerName }),
    ...(tlsVerify ? {} : { isInsecure: true }),
    credential: { token: token.reveal() },
  })
  return { kubeconfig: new Secret(text), expiresAt }
}

/** Nobody got it. What can't be removed now is removed once it has expired; where nothing was made, there is nothing to remember. */
const takeBack = async (
  { ports }: Request,
  { cluster, issued }: { cluster: Cluster; issued: IssuedKubeconfig },
  isBegun: boolean,
): Promise<void> => {
  const { inventory, commit } = ports.stores
  if (!isBegun) return commit([inventory.forget(issued)])
  try {
    await withdraw(ports, cluster, issued)
  } catch (error) {
    if (!isAppError(error)) throw error
    await commit([inventory.withhold(issued)])
    ports.log.warn('account of a kubeconfig stays until it expires', { clusterId: cluster.id, error: error.name })
  }
}

/** The same for the caller: what to do about it is ours to say. */
const explained = (error: unknown, { name }: Cluster, { role }: IssuedKubeconfig): unknown =>
  error instanceof PermissionDenied
    ? new StateConflict(
        `fedplane's own account in cluster ${quote(name)} may not make one for a ${role}: ${withoutFullStop(error.message)}. Give it the rights, or register the cluster with an account that has them.`,
        { cause: error },
      )
    : error

/**
 * `POST /v1/clusters/{cluster}/kubeconfig`: a kubeconfig of a registered or created cluster, with a token for an account of its own that goes when it
 * expires.
 */
export const issueClusterKubeconfig = async (request: Request): Promise<ApiResponse> => {
  const { ports, principal } = request
  const wanted = wantedKubeconfig(request)
  const remembered = await remember(request, wanted)
  const { cluster, issued } = remembered
  let client: KubernetesClient | undefined
  try {
    client = await openClient(ports, cluster)
    const fresh = await make(client, cluster, issued, wanted.seconds)
    // Asked again: a deletion that began meanwhile has looked for accounts already.
    await retryOnConflict(async () => {
      const now = await findReady(request, wanted)
      const message = `User ${principal.userId} was given a kubeconfig of ${now.name} as ${rightsInWords(wanted)} that is valid until ${fresh.expiresAt}.`
      const said = { action: 'kubeconfig', outcome: 'success', reason: 'KubeconfigIssued', message } as const
      await ports.stores.commit([
        ports.stores.clusters.change(now, {}, { usesAsRead: true }),
        ownerEvent(ports, 'cluster', now, said),
      ])
    })
    return kubeconfigAnswer(request, fresh)
  } catch (error) {
    await takeBack(request, remembered, client !== undefined)
    throw explained(error, cluster, issued)
  } finally {
    client?.close()
  }
}
