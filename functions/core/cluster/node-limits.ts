import { isMaster, type NodeGroup } from './node-group.ts'

/** Fewest and most nodes of a group; no most: no limit. */
export type NodeLimits = Pick<NodeGroup, 'minNodeCount' | 'maxNodeCount'>

/** Magnum's 0 as most means no limit (magnum-rest.md 6); it is stored and shown as given. */
const mostOf = ({ maxNodeCount }: NodeLimits): number =>
  maxNodeCount === null || maxNodeCount === 0 ? Number.POSITIVE_INFINITY : maxNodeCount

/** What is wrong with limits alone, as a sentence; null when nothing is. */
export const limitsFault = (limits: NodeLimits): string | null =>
  limits.minNodeCount <= mostOf(limits)
    ? null
    : `"min_node_count" is ${limits.minNodeCount} and "max_node_count" is ${limits.maxNodeCount}; the first must not be larger than the second.`

/** What is wrong with a number of nodes, as a sentence; null when it is within the limits. */
export const countFault = (nodeCount: number, limits: NodeLimits): string | null => {
  const { minNodeCount, maxNodeCount } = limits
  if (nodeCount < minNodeCount)
    return `"node_count" is ${nodeCount}; it must be at least "min_node_count", ${minNodeCount}.`
  if (nodeCount > mostOf(limits))
    return `"node_count" is ${nodeCount}; it must be at most "max_node_count", ${maxNodeCount}.`
  return null
}

/** The number within the limits that is nearest. The limits must have no fault. */
export const withinLimits = (nodeCount: number, limits: NodeLimits): number =>
  Math.min(Math.max(nodeCount, limits.minNodeCount), mostOf(limits))

/** The default group of a cluster's workers: what a resize that names none is about. */
export const defaultWorkerOf = (groups: readonly NodeGroup[]): NodeGroup | undefined =>
  groups.find((group) => group.isDefault && !isMaster(group))
