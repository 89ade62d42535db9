import type { Write } from '../../store/write.ts'
import { NodeGroupNameTaken, requireSize, StateConflict } from '../errors.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import { type GivenLabels, type Labels, mergeLabels } from '../values/labels.ts'
import { quote } from '../values/wording.ts'
import type { Cluster } from './cluster.ts'
import { requireClusterChangeable, requireGroupTaskKnown, requireNoFault } from './cluster-rules.ts'
import type { ClusterTask } from './cluster-task.ts'
import type { ChangeRules } from './cluster-tasks.ts'
import { requireAccepted } from './driver-preview.ts'
import { type NodeGroup, nodesOf } from './node-group.ts'
import {
  countFault,
  defaultWorkerOf,
  type GivenTaint,
  limitsFault,
  nodeLabelFaults,
  taintFaults,
  taintsOf,
} from './node-rules.ts'

type Given<K extends keyof NodeGroup> = { readonly [A in K]?: NonNullable<NodeGroup[A]> | undefined }

/** A node group as its caller wants it; what is left out is as Magnum has it (magnum-rest.md section 6). Taints may have faults. */
export type DesiredNodeGroup = Given<
  'role' | 'nodeCount' | 'minNodeCount' | 'maxNodeCount' | 'flavorId' | 'imageId' | 'dockerVolumeSize'
> & {
  name: string
  labels?: GivenLabels | undefined
  nodeLabels?: Labels | undefined
  nodeTaints?: readonly GivenTaint[] | undefined
}

const requireSound = ({ nodeTaints = [] }: DesiredNodeGroup, group: NodeGroup): void => {
  const inLimits = [limitsFault(group) ?? countFault(group.nodeCount, group) ?? []].flat()
  requireNoFault([...inLimits, ...nodeLabelFaults(group.nodeLabels), ...taintFaults(nodeTaints)])
}

/** @throws RequestTooLarge */
const requireSizes = ({ labels, nodeLabels, nodeTaints }: NodeGroup, desired: DesiredNodeGroup): void => {
  requireSize('labels', labels, { advice: 'Labels that it has of its cluster count, too.' })
  requireSize('node_labels', nodeLabels)
  requireSize('node_taints', desired.nodeTaints ?? nodeTaints)
}

/** One more than the highest; the cluster's revision keeps two from taking the same. */
const nextNumber = (groups: readonly NodeGroup[]): number => Math.max(0, ...groups.map(({ number }) => number)) + 1

/**
 * A node group as it is the instant that its 202 goes out, with Magnum's defaults. The image is that of the default workers, who have it from
 * the template.
 *
 * @throws NodeGroupInvalid, RequestTooLarge
 */
const newNodeGroup = (
  desired: DesiredNodeGroup,
  cluster: Cluster,
  groups: readonly NodeGroup[],
  given: { id: string; now: string },
): NodeGroup => {
  const group: NodeGroup = {
    id: given.id,
    projectId: cluster.projectId,
    clusterId: cluster.id,
    number: nextNumber(groups),
    name: desired.name,
    role: desired.role ?? 'worker',
    isDefault: false,
    nodeCount: desired.nodeCount ?? 1,
    reachedCount: 0,
    minNodeCount: desired.minNodeCount ?? 0,
    maxNodeCount: desired.maxNodeCount ?? null,
    flavorId: desired.flavorId ?? cluster.magnum.flavorId,
    imageId: desired.imageId ?? defaultWorkerOf(groups)?.imageId ?? null,
    labels: mergeLabels(cluster.magnum.labels, desired.labels ?? {}),
    dockerVolumeSize: desired.dockerVolumeSize ?? null,
    nodeLabels: desired.nodeLabels ?? {},
    nodeTaints: taintsOf(desired.nodeTaints ?? []),
    nodeAddresses: [],
    status: 'CREATE_IN_PROGRESS',
    statusReason: null,
    failedTask: null,
    version: null,
    revision: 1,
    createdAt: given.now,
    updatedAt: null,
  }
  requireSizes(group, desired)
  requireSound(desired, group)
  return group
}

/** Nodes join through it. @throws StateConflict */
const requireReachable = ({ name, endpoint }: Cluster): void => {
  if (endpoint !== null) return
  throw new StateConflict(
    `Cluster ${quote(name)} has no "api_address" yet, so no nodes can join it. Try again when it has one.`,
  )
}

/** @throws NodeGroupNameTaken */
const requireNameFree = (cluster: Cluster, groups: readonly NodeGroup[], name: string): void => {
  const taken = groups.find((group) => group.name === name)
  if (taken === undefined) return
  throw new NodeGroupNameTaken(
    `Cluster ${quote(cluster.name)} has a node group ${quote(name)} already (${taken.id}, ${taken.status}). Choose another name.`,
  )
}

/** A node group and the cluster that it is in, as they were read. */
export type GroupOfCluster = { cluster: Cluster; group: NodeGroup }

type CreateRules = ChangeRules & {
  /** More writes for the same transaction. */
  remember?: (id: string) => Write[]
}

/** Reads, decides, commits. */
const round = async (ports: Ports, rules: CreateRules, desired: DesiredNodeGroup): Promise<GroupOfCluster> => {
  const { nodeGroups } = ports.stores
  const cluster = await rules.findCluster()
  requireGroupTaskKnown(ports, cluster, 'node-group-create')
  requireClusterChangeable(cluster)
  requireReachable(cluster)
  const groups = await nodeGroups.listOf(cluster)
  requireNameFree(cluster, groups, desired.name)
  const group = newNodeGroup(desired, cluster, groups, { id: ports.newId(), now: ports.clock.now().toISOString() })
  const all = [...groups, group]
  const task: ClusterTask = { kind: 'node-group-create', nodeGroupId: group.id }
  await requireAccepted(ports, { cluster, nodeGroups: all, task }, requireNoFault)
  await rules.request(cluster, {
    task,
    writes: [nodeGroups.insert(group), ...(rules.remember?.(group.id) ?? [])],
    change: { nodes: nodesOf(all) },
    said: { reason: 'NodeGroupRequested', message: `Node group ${group.name} is being created.` },
  })
  return { cluster, group }
}

/**
 * Makes a node group; while another change of the cluster runs it waits for its turn.
 *
 * @throws InvalidRequest, NodeGroupInvalid, NodeGroupNameTaken, RequestTooLarge, ChangeRefused, StateConflict, QueueFull, and errors of reaching
 * whoever makes the cluster
 */
export const createNodeGroup = (ports: Ports, rules: CreateRules, desired: DesiredNodeGroup): Promise<GroupOfCluster> =>
  retryOnConflict(() => round(ports, rules, desired))
