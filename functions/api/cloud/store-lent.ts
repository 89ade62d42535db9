import { type GrantChange, grantInForce } from '../../core/cluster/cloud-grants.ts'
import type { TablePorts } from '../../core/ports.ts'
import type { PlannedCluster } from '../../drivers/contract/cluster-driver-description.ts'
import { borrow, demandLender, keeping, type LendingRequest } from './lend.ts'

type Wish = Pick<PlannedCluster, 'cluster' | 'template' | 'management'>

const needs = ({ drivers }: Pick<TablePorts, 'drivers'>, wish: Wish): boolean =>
  drivers.cluster.resolve(wish.cluster.driver).needsCloudCredential?.(wish) ?? false

/** The caller can lend what the new cluster needs, if it needs something. @throws CloudMissing, CloudTokenMissing */
export const demandLendable = (request: LendingRequest, wish: Wish): void => {
  if (needs(request.ports, wish)) demandLender(request, wish.cluster)
}

/**
 * Stores a new cluster, with what its caller lends it in the cloud if it needs that. The last thing before the commit: nothing is made for a
 * request that is refused.
 *
 * @throws what `borrow` and `store` throw
 */
export const storeLent = async (
  request: LendingRequest,
  wish: Wish,
  store: (lent: GrantChange) => Promise<void>,
): Promise<void> => {
  if (!needs(request.ports, wish)) return store({ change: {}, writes: [] })
  const grant = await borrow(request, wish.cluster)
  await keeping(request, grant, async () => store(await grantInForce(request.ports, wish.cluster, grant)))
}
