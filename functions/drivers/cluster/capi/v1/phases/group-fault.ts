import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { KubernetesObject } from '../../../../../kubernetes/client.ts'
import type { ClusterContext } from '../../../../contract/cluster-driver.ts'
import type { Snapshot } from '../management/snapshot.ts'
import { isAsWanted } from '../management/wanted.ts'
import { upgradesControlPlane } from '../wishes.ts'
import { halfwayFault } from './halfway.ts'
import { isOnlyNumber, leftGroup } from './left-group.ts'
import { decideRemoval, removalFault } from './removal.ts'
import { unknownNodes } from './unknown-nodes.ts'
import { groupOf } from './update.ts'

/** Why a resize can't be, of the nodes that there are. Undefined when it can. */
export const resizeFault = (context: ClusterContext, snapshot: Snapshot, group: NodeGroup): string | undefined => {
  const removal = decideRemoval(context, snapshot, group)
  return (
    unknownNodes(context, snapshot, group) ??
    removalFault(context, snapshot, group, removal) ??
    halfwayFault(context, snapshot, { group, nodes: removal.count, isOnlyNumber: true, isUpgrade: false })
  )
}

/** True for limits, labels or taints that change nothing of the Cluster: done at once, whatever its machines wait for. */
export const changesNothing = ({ task }: ClusterContext, { object }: Snapshot, wanted: KubernetesObject): boolean =>
  task?.kind === 'node-group-update' && task.nodeCount === null && object !== undefined && isAsWanted(object, wanted)

/** Why a change of a group can't be, of the Cluster as it is. Undefined when it can, and for changes of no group. */
export const groupFault = (
  context: ClusterContext,
  snapshot: Snapshot,
  wanted: KubernetesObject,
): string | undefined => {
  const { task } = context
  const group = groupOf(context)
  if (group === undefined || changesNothing(context, snapshot, wanted)) return undefined
  switch (task?.kind) {
    case 'resize':
      return resizeFault(context, snapshot, group)
    case 'node-group-update': {
      const change = {
        group,
        nodes: task.nodeCount,
        isOnlyNumber: isOnlyNumber(group, snapshot, wanted),
        isUpgrade: false,
      }
      return halfwayFault(context, snapshot, change) ?? leftGroup(context, snapshot, wanted)
    }
    case 'node-group-create':
      return halfwayFault(context, snapshot, { group, nodes: null, isOnlyNumber: false, isUpgrade: false })
    case 'upgrade':
      return upgradesControlPlane(context, task)
        ? undefined
        : halfwayFault(context, snapshot, { group, nodes: null, isOnlyNumber: false, isUpgrade: true })
    default:
      return undefined
  }
}
