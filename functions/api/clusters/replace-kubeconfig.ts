import { noteCandidateFacts } from '../../core/access/cluster-candidate.ts'
import { candidateKey, kubeconfigKey } from '../../core/access/credentials.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { requestTask } from '../../core/cluster/cluster-tasks.ts'
import { createAgain } from '../../core/cluster/create-again.ts'
import { requireTaskKnown } from '../../core/cluster/driver-rules.ts'
import { isManagementCluster } from '../../core/cluster/management.ts'
import { isAllowed, policyForbids, requirePolicy } from '../policy.ts'
import type { KeysRequest } from '../route.ts'
import type { ClusterPatch } from './cluster-patch.ts'
import { type GivenKubeconfig, type TakenKubeconfig, takeKubeconfig } from './intake.ts'

type Request = KeysRequest<{ accept_identity: boolean }, ClusterPatch>

/** A kubeconfig out of a patch. The insecure flag stays as it was at registration unless the patch says otherwise. */
const takenFrom = (
  request: Request,
  cluster: Cluster,
  kubeconfig: GivenKubeconfig['kubeconfig'],
): Promise<TakenKubeconfig> => {
  const { context, insecureSkipTlsVerify } = request.body
  const allowInsecure = insecureSkipTlsVerify ?? cluster.endpoint?.tlsVerify === false
  return takeKubeconfig(request, { kubeconfig, context, allowInsecure, serverForPeers: undefined })
}

/**
 * Who vouches that the kubeconfig is for the very cluster, where nothing proves it (`proveSameCluster`): whoever owns the cluster, by the request itself,
 * as long as nobody else depends on it; otherwise an administrator who says so.
 *
 * @throws PolicyForbids for others who say so
 */
const voucherOf = (request: Request, cluster: Cluster): string | undefined => {
  const { principal, query } = request
  const { projectId, userId } = cluster
  if (query.accept_identity) {
    requirePolicy(request, 'cluster:accept_identity', { projectId, userId })
    return principal.userId
  }
  const isOwner = principal.userId === userId && principal.projectId === projectId
  return isOwner && !isManagementCluster(cluster) ? principal.userId : undefined
}

const said = { reason: 'KubeconfigReplaced', message: 'A new kubeconfig is being checked.' }

/**
 * A registration that failed has no identity yet, so nothing can prove the next one: it goes on under its owner's name, by whoever may vouch.
 *
 * @throws PolicyForbids
 */
const requireVoucher = (request: Request, cluster: Cluster, vouchedBy: string | undefined): void => {
  const { name, id, projectId, userId } = cluster
  if (vouchedBy !== undefined) return
  if (isAllowed(request, 'cluster:accept_identity', { projectId, userId })) return
  throw policyForbids(
    request,
    'cluster:accept_identity',
    `: the registration of cluster ${name} (${id}) failed, so that nothing proves which cluster another kubeconfig leads to. Its owner sends it, or an administrator; or register yours under its own name.`,
  )
}

/** The registration that failed begins again with another kubeconfig. */
const registerAnew = async ({ ports }: Request, cluster: Cluster, taken: TakenKubeconfig): Promise<void> => {
  const serverForPeers = cluster.endpoint?.serverForPeers ?? null
  await createAgain(ports, cluster, {
    change: { endpoint: { ...taken.endpoint, serverForPeers } },
    writes: [await ports.stores.credentials.seal(kubeconfigKey(cluster), taken.credential)],
    said,
  })
}

/**
 * Begins to replace the credential of a cluster. The old one and the endpoint stay until the new ones are proved, but for a failed
 * registration, which has none.
 *
 * @throws KubeconfigRejected, AddressForbidden, InvalidRequest, PolicyForbids, RevisionConflict
 */
export const replaceKubeconfig = async (
  request: Request,
  cluster: Cluster,
  kubeconfig: GivenKubeconfig['kubeconfig'],
): Promise<void> => {
  const { ports } = request
  const taken = await takenFrom(request, cluster, kubeconfig)
  const vouchedBy = voucherOf(request, cluster)
  if (cluster.status === 'CREATE_FAILED') {
    requireVoucher(request, cluster, vouchedBy)
    await registerAnew(request, cluster, taken)
    return
  }
  requireTaskKnown(ports.drivers.cluster.resolve(cluster.driver), 'credential', 'take another kubeconfig')
  await requestTask(ports, cluster, {
    task: { kind: 'credential' },
    writes: [
      await ports.stores.credentials.seal(candidateKey(cluster), taken.credential),
      ...(vouchedBy === undefined ? [] : await noteCandidateFacts(ports, cluster, { vouchedBy })),
    ],
    said,
  })
}
