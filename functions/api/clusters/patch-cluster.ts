import { changeCluster, type DesiredChange } from '../../core/cluster/change-cluster.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { CLUSTER_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import type { NewKubeconfig } from '../../core/cluster/replace-kubeconfig.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { isReliedOn } from '../../core/grant/loans.ts'
import { requestChange } from '../cloud/request-change.ts'
import type { PatchOperation } from '../json-patch/patch-operation.ts'
import { judgedIfThere } from '../lookup.ts'
import { isAllowed, policyForbids, requirePolicy } from '../policy.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { type ClusterPatch, readClusterPatch } from './cluster-patch.ts'
import { findIntactCluster } from './find-cluster.ts'
import { requireCountAllowed } from './node-count.ts'
import { addressForPeers, type GivenKubeconfig, takeKubeconfig, takeManagement } from './registration.ts'

type Query = { rollback?: boolean | undefined; accept_identity: boolean }

/** A PATCH of a cluster, its operations read. */
type PatchRequest = KeysRequest<Query, ClusterPatch>

/**
 * Who vouches that the kubeconfig is for the very cluster, where nothing proves it (`proveSameCluster`): whoever owns the cluster, by the request itself,
 * as long as nobody else depends on it; otherwise an administrator who says so.
 *
 * @throws PolicyForbids for others who say so
 */
const voucherOf = async (request: PatchRequest, cluster: Cluster): Promise<string | undefined> => {
  const { principal, query } = request
  const { projectId, userId } = cluster
  if (query.accept_identity) {
    requirePolicy(request, 'cluster:accept_identity', { projectId, userId })
    return principal.userId
  }
  const isOwner = principal.userId === userId && principal.projectId === projectId
  return isOwner && !(await isReliedOn(request.ports, cluster)) ? principal.userId : undefined
}

/**
 * A registration that failed has no identity yet, so nothing can prove the next one: it goes on under its owner's name, by whoever may vouch.
 *
 * @throws PolicyForbids
 */
const requireMayGoOn = (request: PatchRequest, { name, id, projectId, userId }: Cluster): void => {
  if (isAllowed(request, 'cluster:accept_identity', { projectId, userId })) return
  throw policyForbids(
    request,
    'cluster:accept_identity',
    `: the registration of cluster ${name} (${id}) failed, so that nothing proves which cluster another kubeconfig leads to. Its owner sends it, or an administrator; or register yours under its own name.`,
  )
}

/**
 * Takes the kubeconfig of a patch, for a cluster that there is. The insecure flag stays as it was at registration unless the patch says
 * otherwise.
 *
 * @throws KubeconfigRejected, AddressForbidden, PolicyForbids
 */
const takeReplacement =
  (request: PatchRequest, kubeconfig: GivenKubeconfig['kubeconfig']) =>
  async (cluster: Cluster): Promise<NewKubeconfig> => {
    const { context, insecureSkipTlsVerify } = request.body
    const allowInsecure = insecureSkipTlsVerify ?? cluster.endpoint?.tlsVerify === false
    return {
      taken: await takeKubeconfig(request, { kubeconfig, context, allowInsecure, serverForPeers: undefined }),
      vouchedBy: await voucherOf(request, cluster),
      requireMayGoOn: (failed) => requireMayGoOn(request, failed),
    }
  }

/** `rollback` came with version 1.3 (magnum-rest.md 1.4). @throws InvalidRequest */
const requireRollbackKnown = ({ rollback }: PatchRequest['query'], minor: number): void => {
  if (rollback === undefined || minor >= 3) return
  throw new InvalidRequest(`The query parameter "rollback" is unknown in version 1.${minor}; it came with 1.3.`)
}

/** @throws InvalidRequest where there is nothing to accept */
const requireKubeconfig = ({ query, body }: PatchRequest): void => {
  if (!query.accept_identity || body.kubeconfig !== undefined || body.serverForPeers !== undefined) return
  throw new InvalidRequest('"?accept_identity=true" goes with a change of "/kubeconfig" or "/server_for_peers" only.')
}

/**
 * Takes another address for peers: control planes use their credentials of the cluster there, and nothing proves whose it is. So it is changed by whoever
 * may vouch for the cluster.
 *
 * @throws KubeconfigRejected, AddressForbidden, PolicyForbids
 */
const takeAddress =
  (request: PatchRequest, given: string | null) =>
  async (cluster: Cluster): Promise<string | null> => {
    const address = addressForPeers(given)
    if ((await voucherOf(request, cluster)) !== undefined) return address
    throw policyForbids(
      request,
      'cluster:accept_identity',
      `: federations send their credentials of cluster ${cluster.name} (${cluster.id}) to its "/server_for_peers", and nobody can prove whose address that is. Its owner changes it while nobody else relies on the cluster, or an administrator with "?accept_identity=true".`,
    )
  }

/** Health has a rule of its own (magnum-rest.md 9.4), which is asked of the caller as such. @throws PolicyForbids */
const requireMayReport = (request: PatchRequest): void => {
  const { healthStatus, healthReason } = request.body
  if (healthStatus === undefined && healthReason === undefined) return
  requirePolicy(request, CLUSTER_ATTRIBUTES.health_status.rule)
}

/** So does the role of a management cluster: a route's rule does not know what is changed. @throws PolicyForbids */
const requireMayManage = (request: PatchRequest, { projectId, userId }: Cluster): void => {
  if (request.body.management === undefined) return
  requirePolicy(request, CLUSTER_ATTRIBUTES.management.rule, { projectId, userId })
}

const roleOf = (request: PatchRequest, management: NonNullable<ClusterPatch['management']>) => () =>
  takeManagement(request.ports.drivers, management)

/** What the command is asked: what only a request can read it reads for the command. */
const desiredOf = (request: PatchRequest): DesiredChange => {
  const { kubeconfig, management, serverForPeers, context: _, insecureSkipTlsVerify: __, ...rest } = request.body
  return {
    ...rest,
    ...(kubeconfig === undefined ? {} : { kubeconfig: takeReplacement(request, kubeconfig) }),
    ...(serverForPeers === undefined ? {} : { serverForPeers: takeAddress(request, serverForPeers) }),
    ...(management === undefined ? {} : { management: management && roleOf(request, management) }),
  }
}

/** What needs no cluster to be judged. @throws InvalidRequest, RequestTooLarge, PolicyForbids */
const judge = (given: KeysRequest<Query, readonly PatchOperation[]>): PatchRequest => {
  const request = { ...given, body: readClusterPatch(given.body) }
  requireRollbackKnown(request.query, request.minor)
  requireKubeconfig(request)
  requireCountAllowed(request.body.nodeCount, request.minor)
  requireMayReport(request)
  return request
}

/**
 * `PATCH /v1/clusters/{cluster}` → 202 (magnum-rest.md 4.3). Health is stored at once; a kubeconfig or the node count of the default group
 * of workers starts an operation. Refusals of state are reported, which Magnum loses.
 */
export const patchCluster = async (given: KeysRequest<Query, readonly PatchOperation[]>): Promise<ApiResponse> => {
  const request = await judgedIfThere(
    () => findIntactCluster(given, 'cluster:update_all_projects'),
    () => judge(given),
  )
  const { ports } = request
  const findCluster = async () => {
    const cluster = await findIntactCluster(request, 'cluster:update_all_projects')
    requireMayManage(request, cluster)
    return cluster
  }
  const rules = { findCluster, request: requestChange(request) }
  const { id: uuid } = await changeCluster(ports, rules, desiredOf(request))
  return { status: 202, body: { uuid } }
}
