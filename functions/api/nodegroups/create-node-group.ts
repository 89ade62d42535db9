import type { Cluster } from '../../core/cluster/cluster.ts'
import type { ClusterTask } from '../../core/cluster/cluster-task.ts'
import { findNodeGroup } from '../../core/cluster/find-node-group.ts'
import { type NodeGroup, nodesOf } from '../../core/cluster/node-group.ts'
import { nodeLabelFaults } from '../../core/cluster/node-labels.ts'
import { countFault, defaultWorkerOf, limitsFault } from '../../core/cluster/node-limits.ts'
import { taintFaults, taintsOf } from '../../core/cluster/node-taints.ts'
import { StateConflict } from '../../core/errors.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { requireSize } from '../../core/require-size.ts'
import { mergeLabels } from '../../core/values/labels.ts'
import { quote } from '../../core/values/wording.ts'
import type { Write } from '../../store/write.ts'
import { requestChange } from '../cloud/request-change.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import { createOnce } from '../idempotency.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { NodeGroupNameTaken } from './errors.ts'
import type { CreateNodeGroup } from './node-group.schema.ts'
import { driverFor, requireAccepted, requireClusterChangeable, requireNoFault } from './node-group-rules.ts'
import { showNodeGroup } from './show-node-group.ts'

const requireSound = (body: CreateNodeGroup, group: NodeGroup): void => {
  const inLimits = [limitsFault(group) ?? countFault(group.nodeCount, group) ?? []].flat()
  requireNoFault([...inLimits, ...nodeLabelFaults(group.nodeLabels), ...taintFaults(body.node_taints ?? [])])
}

/** @throws RequestTooLarge */
const requireSizes = ({ labels, nodeLabels, nodeTaints }: NodeGroup, given: CreateNodeGroup): void => {
  requireSize('labels', labels, { advice: 'Labels that it has of its cluster count, too.' })
  requireSize('node_labels', nodeLabels)
  requireSize('node_taints', given.node_taints ?? nodeTaints)
}

/** One more than the highest; the cluster's revision keeps two from taking the same. */
const nextNumber = (groups: readonly NodeGroup[]): number => Math.max(0, ...groups.map(({ number }) => number)) + 1

/**
 * A node group as it is the instant that its 202 goes out, with Magnum's defaults (magnum-rest.md section 6). The image is that of the
 * default workers, who have it from the template.
 *
 * @throws NodeGroupInvalid, RequestTooLarge
 */
const newNodeGroup = (
  body: CreateNodeGroup,
  cluster: Cluster,
  groups: readonly NodeGroup[],
  given: { id: string; now: string },
): NodeGroup => {
  const group: NodeGroup = {
    id: given.id,
    projectId: cluster.projectId,
    clusterId: cluster.id,
    number: nextNumber(groups),
    name: body.name,
    role: body.role ?? 'worker',
    isDefault: false,
    nodeCount: body.node_count ?? 1,
    reachedCount: 0,
    minNodeCount: body.min_node_count ?? 0,
    maxNodeCount: body.max_node_count ?? null,
    flavorId: body.flavor_id ?? cluster.magnum.flavorId,
    imageId: body.image_id ?? defaultWorkerOf(groups)?.imageId ?? null,
    labels: mergeLabels(cluster.magnum.labels, { labels: body.labels, merge: body.merge_labels }),
    dockerVolumeSize: body.docker_volume_size ?? null,
    nodeLabels: body.node_labels ?? {},
    nodeTaints: taintsOf(body.node_taints ?? []),
    nodeAddresses: [],
    status: 'CREATE_IN_PROGRESS',
    statusReason: null,
    failedTask: null,
    version: null,
    revision: 1,
    createdAt: given.now,
    updatedAt: null,
  }
  requireSizes(group, body)
  requireSound(body, group)
  return group
}

type Request = KeysRequest<unknown, CreateNodeGroup>

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

/** Reads, decides, commits; the task begins or queues. Returns the id. */
const decide = async (request: Request, remember: (id: string) => Write[]): Promise<string> => {
  const { ports, body } = request
  const { nodeGroups } = ports.stores
  const cluster = await findCluster(request)
  const driver = driverFor(ports, cluster, 'node-group-create')
  requireClusterChangeable(cluster)
  requireReachable(cluster)
  const groups = await nodeGroups.listOf(cluster)
  requireNameFree(cluster, groups, body.name)
  const group = newNodeGroup(body, cluster, groups, { id: ports.newId(), now: ports.clock.now().toISOString() })
  const all = [...groups, group]
  const task: ClusterTask = { kind: 'node-group-create', nodeGroupId: group.id }
  await requireAccepted(request, driver, { cluster, nodeGroups: all, task })
  await requestChange(request, cluster, {
    task,
    writes: [nodeGroups.insert(group), ...remember(group.id)],
    change: { nodes: nodesOf(all) },
    said: { reason: 'NodeGroupRequested', message: `Node group ${group.name} is being created.` },
  })
  return group.id
}

/** `POST /v1/clusters/{cluster}/nodegroups` → 202 (magnum-rest.md section 6). Parallel ones queue. */
export const createNodeGroupHandler = async (request: Request): Promise<ApiResponse> => {
  const { ports, baseUrl } = request
  // Not as the path has it: a name may be another cluster's by the time that the key comes again.
  const { id: clusterId } = await findCluster(request)
  const id = await createOnce(request, `POST /v1/clusters/${clusterId}/nodegroups`, (remember) =>
    retryOnConflict(() => decide(request, remember)),
  )
  const cluster = await findCluster(request)
  const group = findNodeGroup(await ports.stores.nodeGroups.listOf(cluster), id)
  return { status: 202, body: showNodeGroup(cluster, group, baseUrl) }
}
