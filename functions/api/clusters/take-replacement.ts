import type { Cluster } from '../../core/cluster/cluster.ts'
import { isManagementCluster } from '../../core/cluster/management.ts'
import type { NewKubeconfig } from '../../core/cluster/replace-kubeconfig.ts'
import { isAllowed, policyForbids, requirePolicy } from '../policy.ts'
import type { KeysRequest } from '../route.ts'
import type { ClusterPatch } from './cluster-patch.ts'
import { type GivenKubeconfig, takeKubeconfig } from './intake.ts'

/** A PATCH of a cluster. */
export type PatchRequest = KeysRequest<{ rollback?: boolean | undefined; accept_identity: boolean }, ClusterPatch>

/**
 * Who vouches that the kubeconfig is for the very cluster, where nothing proves it (`proveSameCluster`): whoever owns the cluster, by the request itself,
 * as long as nobody else depends on it; otherwise an administrator who says so.
 *
 * @throws PolicyForbids for others who say so
 */
const voucherOf = (request: PatchRequest, cluster: Cluster): string | undefined => {
  const { principal, query } = request
  const { projectId, userId } = cluster
  if (query.accept_identity) {
    requirePolicy(request, 'cluster:accept_identity', { projectId, userId })
    return principal.userId
  }
  const isOwner = principal.userId === userId && principal.projectId === projectId
  return isOwner && !isManagementCluster(cluster) ? principal.userId : undefined
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
export const takeReplacement =
  (request: PatchRequest, kubeconfig: GivenKubeconfig['kubeconfig']) =>
  async (cluster: Cluster): Promise<NewKubeconfig> => {
    const { context, insecureSkipTlsVerify } = request.body
    const allowInsecure = insecureSkipTlsVerify ?? cluster.endpoint?.tlsVerify === false
    return {
      taken: await takeKubeconfig(request, { kubeconfig, context, allowInsecure, serverForPeers: undefined }),
      vouchedBy: voucherOf(request, cluster),
      requireMayGoOn: (failed) => requireMayGoOn(request, failed),
    }
  }
