import type { JsonObject } from '../../../../../core/values/json.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import { ClusterNotReady } from '../errors.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { topologyFault } from '../status/reason.ts'
import { isPatienceOver, sinceState, TOPOLOGY_FAULT } from './since.schema.ts'

/** Seconds for which the topology controller may fail before the change counts as failed: objects that it needs come one after the other. */
const GRACE_SECONDS = 600

/**
 * Since when this operation has seen the topology controller fail, to be stored after each look. What Cluster API tells is the time of the condition's
 * status, which is False from the begin of a create or an upgrade to its end, whatever the reason.
 */
export const faultState = (context: ClusterContext, snapshot: Snapshot): JsonObject =>
  topologyFault(snapshot) === undefined ? { [TOPOLOGY_FAULT]: null } : sinceState(context, TOPOLOGY_FAULT)

/** @throws ClusterNotReady when the topology controller has failed for too long */
export const requireTopology = (context: ClusterContext, snapshot: Snapshot): void => {
  const fault = topologyFault(snapshot)
  if (fault !== undefined && isPatienceOver(context, TOPOLOGY_FAULT, GRACE_SECONDS)) {
    throw new ClusterNotReady(`${fault}.`)
  }
}
