import type { CloudGrant } from '../../cloud/cloud.ts'
import { cloudOf, type GrantChange, grantInForce, promotedGrant, readGrants } from '../../core/cluster/cloud-grants.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { type DelegationRequest, delegate, keeping, mayDelegate } from './delegate.ts'

const NOTHING: GrantChange = { change: {}, writes: [] }

/** True when Keystone takes nothing of what the cluster was delegated any more; false also when Keystone can't be asked. */
const isDead = async ({ ports }: DelegationRequest, cluster: Cluster): Promise<boolean> => {
  const { current, candidate } = await readGrants(ports, cluster)
  const grant = candidate ?? current
  return grant !== null && !(await cloudOf(ports).isAlive(grant))
}

/** What the caller lends in place of what is dead; null when that is not needed, or can't be had. */
const fresh = async (request: DelegationRequest, cluster: Cluster): Promise<CloudGrant | null> => {
  if (!mayDelegate(request, cluster)) return null
  try {
    return (await isDead(request, cluster)) ? await delegate(request, cluster) : null
  } catch (error) {
    if (!isAppError(error)) throw error
    request.ports.log.warn('cluster deleted with what it was delegated', { clusterId: cluster.id, error })
    return null
  }
}

/**
 * Stores the deletion of a cluster, with application credentials that work: machines, load balancers and volumes are removed with them. A
 * rotation that the deletion replaces has brought some; where the user who lent the present ones has left the project, the caller's take
 * their place. Best effort: no deletion is refused for want of it.
 *
 * @throws what `store` throws
 */
export const storeDeletion = async (
  request: DelegationRequest,
  cluster: Cluster,
  store: (delegated: GrantChange) => Promise<void>,
): Promise<void> => {
  if (!cluster.cloud) return store(NOTHING)
  const { ports } = request
  const grant = await fresh(request, cluster)
  if (grant === null) return store((await promotedGrant(ports, cluster)) ?? NOTHING)
  await keeping(request, grant, async () => store(await grantInForce(ports, cluster, grant)))
}
