import { type GrantChange, grantInForce } from '../../core/cluster/cloud-grants.ts'
import type { TablePorts } from '../../core/ports.ts'
import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import { type DelegationRequest, delegate, keeping, requireDelegator } from './delegate.ts'

type Desired = Pick<PlannedCluster, 'cluster' | 'template' | 'management'>

const needs = ({ drivers }: Pick<TablePorts, 'drivers'>, desired: Desired): boolean =>
  drivers.cluster.resolve(desired.cluster.driver).needsCloudCredential?.(desired) ?? false

/** The caller can delegate what the new cluster needs, if it needs something. @throws CloudMissing, CloudTokenMissing */
export const requireDelegable =
  (request: DelegationRequest) =>
  (desired: Desired): void => {
    if (needs(request.ports, desired)) requireDelegator(request, desired.cluster)
  }

/**
 * Stores a new cluster, with what its caller lends it in the cloud if it needs that. The last thing before the commit: nothing is made for a
 * request that is refused.
 *
 * @throws what `delegate` and `store` throw
 */
export const storeDelegated =
  (request: DelegationRequest) =>
  async (desired: Desired, store: (delegated: GrantChange) => Promise<void>): Promise<void> => {
    if (!needs(request.ports, desired)) return store({ change: {}, writes: [] })
    const grant = await delegate(request, desired.cluster)
    await keeping(request, grant, async () => store(await grantInForce(request.ports, desired.cluster, grant)))
  }
