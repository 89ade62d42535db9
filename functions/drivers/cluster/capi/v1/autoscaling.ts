import { isMaster, type NodeGroup } from '../../../../core/cluster/node-group.ts'
import { groupValues } from './labels.ts'

/** Between how many nodes an autoscaler may choose. */
export type Autoscaling = { min: number; max: number }

/** The most nodes of a group: its own limit, or for the default one what its label says, as in Magnum. Undefined: no limit. 0 is none either. */
export const mostOf = (group: NodeGroup): number | undefined => {
  const label = group.isDefault ? groupValues(group.labels).max_node_count : undefined
  return group.maxNodeCount || label || undefined
}

/** True when the labels ask for it; without a limit it still can't be. */
export const wantsAutoscaling = (group: NodeGroup): boolean =>
  !isMaster(group) && groupValues(group.labels).auto_scaling_enabled

/**
 * The range of a worker group that an autoscaler scales; undefined for one that has the number of nodes that was asked for. A group is scaled when its
 * label `auto_scaling_enabled` says so, it has a most, and that is not its fewest.
 */
export const autoscalingOf = (group: NodeGroup): Autoscaling | undefined => {
  const max = mostOf(group)
  if (!wantsAutoscaling(group) || max === undefined || max === group.minNodeCount) return undefined
  return { min: group.minNodeCount, max }
}
