import { type GrantChange, grantInForce } from '../../core/cluster/cloud-grants.ts'
import type { TablePorts } from '../../core/ports.ts'
import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import { borrow, type DelegationRequest, keeping, requireDelegator } from './lend.ts'

type Desired = Pick<PlannedCluster, 'cluster' | 'template' | 'management'>

const needs = ({ drivers }: Pick<TablePorts, 'drivers'>, desired: Desired): boolean =>
  drivers.cluster.resolve(desired.cluster.driver).needsCloudCredential?.(desired) ?? false

/** The caller can lend what the new cluster needs, if it needs something. @throws CloudMissing, CloudTokenMissing */
export const requireDelegable =
  (request: DelegationRequest) =>
  (desired: Desired): void => {
    if (needs(request.ports, desired)) requireDelegator(request, desired.cluster)
  }

/**
 * Stores a new cluster, with what its caller lends it in the cloud if it needs that. The last thing before the commit: nothing is made for a
 * request that is refused.
 *
 * @throws what `borrow` and `store` throw
 */
export const storeLent =
  (request: DelegationRequest) =>
  async (desired: Desired, store: (lent: GrantChange) => Promise<void>): Promise<void> => {
    if (!needs(request.ports, desired)) return store({ change: {}, writes: [] })
    const grant = await borrow(request, desired.cluster)
    await keeping(request, grant, async () => store(await grantInForce(request.ports, desired.cluster, grant)))
  }
