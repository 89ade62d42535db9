import { nodeGroupOf } from '../../../../../core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { PlannedCluster } from '../../../../contract/cluster-driver-description.ts'

/** The count that a group shall have: the task says so, whether or not it is in the group already. */
export const countOf = ({ task }: Pick<PlannedCluster, 'task'>, group: NodeGroup): number => {
  if (task === null || nodeGroupOf(task) !== group.id || !('nodeCount' in task)) return group.nodeCount
  return task.nodeCount ?? group.nodeCount
}
