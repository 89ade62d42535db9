import { nodeGroupOf } from '../../../../../core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../../../core/cluster/node-group.ts'
import type { PlannedCluster } from '../../../../contract/cluster-driver-description.ts'
import { autoscalingOf } from '../autoscaling.ts'
import { NODES_MAX_DEFAULT, NODES_MAX_FIELD } from '../management-fields.ts'
import { countOf } from './count-of.ts'

const mostNodes = ({ management }: PlannedCluster): number =>
  Number(management?.options[NODES_MAX_FIELD] ?? NODES_MAX_DEFAULT)

/** How many nodes a group may come to: an autoscaler may go up to its most. */
const scopeOf = (plan: PlannedCluster, group: NodeGroup): number =>
  Math.max(countOf(plan, group), autoscalingOf(group)?.max ?? 0)

/** True for a change that may add nodes: what is there already keeps nobody from making it smaller. */
const isGrowth = (plan: PlannedCluster, group: NodeGroup): boolean => {
  const count = plan.task?.kind === 'resize' ? countOf(plan, group) : scopeOf(plan, group)
  return count > group.reachedCount
}

/** Groups that came to nothing have no nodes. */
const isPart = ({ task }: PlannedCluster, { id, status }: NodeGroup): boolean =>
  status !== 'CREATE_FAILED' || task === null || nodeGroupOf(task) === id

/**
 * More nodes than one cluster may have. Cluster API itself has no limit: it makes objects for each node before the cloud is asked for any, in the
 * management cluster that all projects share. `changed`: the groups that the plan is about.
 */
export const sizeFaults = (plan: PlannedCluster, changed: readonly NodeGroup[]): string[] => {
  const { cluster, management, nodeGroups, task } = plan
  if (task !== null && !changed.some((group) => isGrowth(plan, group))) return []
  const total = nodeGroups.filter((group) => isPart(plan, group)).reduce((sum, group) => sum + scopeOf(plan, group), 0)
  const most = mostNodes(plan)
  if (management === null || total <= most) return []
  return [
    `Cluster ${cluster.name} would have up to ${total} nodes, masters among them; a cluster of management cluster ${management.name} may have ${most} ("${NODES_MAX_FIELD}"). Ask for fewer, or its administrator for more.`,
  ]
}
