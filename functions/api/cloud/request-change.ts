import type { CloudGrant } from '../../cloud/cloud.ts'
import { CloudCredentialRefused, CloudTokenRefused } from '../../cloud/errors.ts'
import { grantCandidate } from '../../core/cluster/cloud-grants.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { type RequestChange, requestTask, type TaskRequest } from '../../core/cluster/cluster-tasks.ts'
import { IdentityProviderUnavailable } from '../../identity/errors.ts'
import { type DelegationRequest, delegate, keeping, mayDelegate } from './delegate.ts'

const ROTATION = { kind: 'rotate-credential' } as const

const isRotating = ({ task, queue }: Cluster): boolean =>
  task?.kind === ROTATION.kind || queue.some((waiting) => waiting.task.kind === ROTATION.kind)

/** True when the cluster lives on what another user than the caller lent it, and the caller may delegate his own. */
const changesHands = (request: DelegationRequest, cluster: Cluster): boolean =>
  (cluster.cloud ?? null) !== null &&
  cluster.cloud?.userId !== request.principal.userId &&
  !isRotating(cluster) &&
  mayDelegate(request, cluster)

/** Neither a token that can delegate nothing nor a Keystone that is down keeps a member of the project from changing a cluster. */
const isNoMatter = (error: unknown): boolean =>
  error instanceof CloudCredentialRefused ||
  error instanceof CloudTokenRefused ||
  error instanceof IdentityProviderUnavailable

const tryToDelegate = async (request: DelegationRequest, cluster: Cluster): Promise<CloudGrant | null> => {
  try {
    return await delegate(request, cluster)
  } catch (error) {
    if (!isNoMatter(error)) throw error
    request.ports.log.warn('cluster changed by another user keeps its application credentials', {
      clusterId: cluster.id,
      error,
    })
    return null
  }
}

const withRotation = async (
  { ports }: DelegationRequest,
  cluster: Cluster,
  { change, grant }: { change: TaskRequest; grant: CloudGrant },
): Promise<void> => {
  const delegated = await grantCandidate(ports, cluster, grant)
  const { said } = change
  await requestTask(ports, cluster, {
    ...change,
    // What makes the machines may not be able to do so any more with what the other user delegated.
    first: ROTATION,
    writes: [...(change.writes ?? []), ...delegated.writes],
    change: { ...change.change, ...delegated.change },
    said: {
      ...said,
      message: `${said.message} First the cluster gets application credentials of user ${grant.userId}.`,
    },
  })
}

/**
 * How a request's caller asks for a change of a cluster, for commands of the core. When another user than the one whose application credentials it
 * lives on asks for it, and can delegate to it, it gets those first: so nobody's leaving strands a cluster (decision 0018).
 *
 * @throws what `requestTask` throws
 */
export const requestChange =
  (request: DelegationRequest): RequestChange =>
  async (cluster, change) => {
    const grant = changesHands(request, cluster) ? await tryToDelegate(request, cluster) : null
    if (grant === null) return requestTask(request.ports, cluster, change)
    await keeping(request, grant, () => withRotation(request, cluster, { change, grant }))
  }
