import { requireSize } from '../errors.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import { quote } from '../values/wording.ts'
import {
  requireClusterChangeable,
  requireGroupChangeable,
  requireGroupTaskKnown,
  requireNoFault,
} from './cluster-rules.ts'
import type { ClusterTask } from './cluster-task.ts'
import type { ChangeRules } from './cluster-tasks.ts'
import type { GroupOfCluster } from './create-node-group.ts'
import { requireAccepted } from './driver-preview.ts'
import { findNodeGroup } from './find-node-group.ts'
import { isMaster, type NodeGroup, nodesOf } from './node-group.ts'
import { type GivenTaint, limitsFault, nodeLabelFaults, taintFaults, taintsOf, withinLimits } from './node-rules.ts'
import { reasonKept } from './task-groups.ts'

/** What may be changed of a node group, as it shall be. Taints may have faults. */
export type GroupSettings = Pick<NodeGroup, 'minNodeCount' | 'maxNodeCount' | 'nodeLabels'> & {
  nodeTaints: readonly GivenTaint[]
}

/** A change of a node group. */
export type GroupPatch = {
  /** What is set by it: those that only workers have are refused of masters. */
  attributes: readonly string[]
  /** @throws InvalidRequest */
  settingsOf(group: NodeGroup): GroupSettings
}

const MARKS = ['node_labels', 'node_taints']

/**
 * The least alone, above the number of nodes: 409, as in Magnum, since it would make nodes that nobody asked for. With the most beside it the group is moved
 * into other limits, and its nodes with it (magnum-rest.md 11 row 12).
 */
const leastFault = ({ nodeCount }: NodeGroup, { minNodeCount }: GroupSettings, attributes: readonly string[]) =>
  minNodeCount > nodeCount && !attributes.includes('max_node_count')
    ? `"min_node_count" is ${minNodeCount} and the group has ${nodeCount} nodes: resize it first, or change "max_node_count" with it, which moves its nodes, too.`
    : null

const faultsOf = (group: NodeGroup, settings: GroupSettings, attributes: readonly string[]): string[] => {
  const marked = attributes.find((attribute) => MARKS.includes(attribute))
  const ofMasters =
    marked !== undefined && isMaster(group)
      ? [`${quote(`/${marked}`)} of node group ${quote(group.name)} can't be set: its role is master.`]
      : []
  return [
    ...[limitsFault(settings) ?? leastFault(group, settings, attributes) ?? []].flat(),
    ...ofMasters,
    ...nodeLabelFaults(settings.nodeLabels),
    ...taintFaults(settings.nodeTaints),
  ]
}

/** @throws RequestTooLarge */
const requireSizes = (group: NodeGroup, { nodeLabels, nodeTaints }: GroupSettings): void => {
  requireSize('node_labels', nodeLabels, { before: group.nodeLabels })
  requireSize('node_taints', nodeTaints, { before: group.nodeTaints })
}

/** The group as it shall be: its number of nodes comes into new limits with the same change (magnum-rest.md 11 row 12). */
const changeOf = (group: NodeGroup, settings: GroupSettings, now: string) => {
  const { minNodeCount, maxNodeCount, nodeLabels, nodeTaints } = settings
  return {
    minNodeCount,
    maxNodeCount,
    nodeLabels,
    nodeTaints: taintsOf(nodeTaints),
    nodeCount: withinLimits(group.nodeCount, settings),
    status: 'UPDATE_IN_PROGRESS',
    statusReason: reasonKept(group),
    updatedAt: now,
  } as const
}

/** Reads, decides, commits. */
const round = async (
  ports: Ports,
  { findCluster, request }: ChangeRules,
  ident: string,
  patch: GroupPatch,
): Promise<GroupOfCluster> => {
  const { nodeGroups } = ports.stores
  const cluster = await findCluster()
  const groups = await nodeGroups.listOf(cluster)
  const group = findNodeGroup(groups, ident)
  if (patch.attributes.length === 0) return { cluster, group }
  requireGroupTaskKnown(ports, cluster, 'node-group-update')
  const settings = patch.settingsOf(group)
  requireSizes(group, settings)
  requireNoFault(faultsOf(group, settings, patch.attributes))
  requireClusterChangeable(cluster)
  requireGroupChangeable(group)
  const change = changeOf(group, settings, ports.clock.now().toISOString())
  const changed = { ...group, ...change }
  const all = groups.map((other) => (other.id === group.id ? changed : other))
  const nodeCount = change.nodeCount === group.nodeCount ? null : change.nodeCount
  const task: ClusterTask = { kind: 'node-group-update', nodeGroupId: group.id, nodeCount }
  await requireAccepted(ports, { cluster, nodeGroups: all, task }, requireNoFault)
  await request(cluster, {
    task,
    writes: [nodeGroups.change(group, change)],
    change: { nodes: nodesOf(all) },
    said: { reason: 'NodeGroupChanged', message: `Node group ${group.name} is being changed.` },
  })
  return { cluster, group: changed }
}

/**
 * Changes limits, labels and taints of a node group. A patch of nothing is accepted and changes nothing.
 *
 * @param ident id or name
 * @throws InvalidRequest, NodeGroupInvalid, RequestTooLarge, ChangeRefused, StateConflict, QueueFull, ObjectNotVisible, and errors of reaching
 * whoever makes the cluster
 */
export const changeNodeGroup = (
  ports: Ports,
  rules: ChangeRules,
  ident: string,
  patch: GroupPatch,
): Promise<GroupOfCluster> => retryOnConflict(() => round(ports, rules, ident, patch))
