import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import { storedChange } from './compare.schema.ts'
import { titleOf } from './removal.ts'

/**
 * True for a change of a group that changes nothing of it. Such a one is over at once, whatever its machines wait for: it is how people say that a failed change
 * is settled, and what an upgrade that failed has begun may never come to its end.
 */
export const isNoOp = (context: ClusterContext): boolean =>
  storedChange(context.cluster, titleOf(context))?.isNoOp === true
