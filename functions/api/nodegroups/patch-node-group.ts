import type { Cluster } from '../../core/cluster/cluster.ts'
import type { ClusterTask } from '../../core/cluster/cluster-task.ts'
import { findNodeGroup } from '../../core/cluster/find-node-group.ts'
import { isMaster, type NodeGroup, nodesOf } from '../../core/cluster/node-group.ts'
import { nodeLabelFaults } from '../../core/cluster/node-labels.ts'
import { limitsFault, withinLimits } from '../../core/cluster/node-limits.ts'
import { taintFaults } from '../../core/cluster/node-taints.ts'
import { reasonKept } from '../../core/cluster/task-groups.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { requireSize } from '../../core/require-size.ts'
import { quote } from '../../core/values/wording.ts'
import { requestChange } from '../cloud/request-change.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import type { PatchOperation } from '../json-patch/patch-operation.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { limitsAndMarks, wantedOf } from './node-group-patch.ts'
import {
  driverFor,
  requireAccepted,
  requireClusterChangeable,
  requireGroupChangeable,
  requireNoFault,
} from './node-group-rules.ts'
import { showNodeGroup } from './show-node-group.ts'

type Request = KeysRequest<unknown, PatchOperation[]>

const MARKS = ['node_labels', 'node_taints']

const faultsOf = (group: NodeGroup, operations: readonly PatchOperation[]): string[] => {
  const wanted = wantedOf(group, operations)
  const marked = operations.find(({ attribute }) => MARKS.includes(attribute))
  const ofMasters =
    marked !== undefined && isMaster(group)
      ? [`${quote(`/${marked.attribute}`)} of node group ${quote(group.name)} can't be set: its role is master.`]
      : []
  return [
    ...[limitsFault(wanted) ?? []].flat(),
    ...ofMasters,
    ...nodeLabelFaults(wanted.nodeLabels),
    ...taintFaults(wanted.nodeTaints),
  ]
}

/** @throws RequestTooLarge */
const requireSizes = (group: NodeGroup, operations: readonly PatchOperation[]): void => {
  const { nodeLabels, nodeTaints } = wantedOf(group, operations)
  requireSize('node_labels', nodeLabels, { before: group.nodeLabels })
  requireSize('node_taints', nodeTaints, { before: group.nodeTaints })
}

/** The group as it shall be: its number of nodes comes into new limits with the same change (magnum-rest.md 11 row 12). */
const changeOf = (group: NodeGroup, operations: readonly PatchOperation[], now: string) => {
  const wanted = limitsAndMarks(wantedOf(group, operations))
  return {
    ...wanted,
    nodeCount: withinLimits(group.nodeCount, wanted),
    status: 'UPDATE_IN_PROGRESS',
    statusReason: reasonKept(group),
    updatedAt: now,
  } as const
}

type Decided = { cluster: Cluster; group: NodeGroup }

const decide = async (request: Request): Promise<Decided> => {
  const { ports, params, body: operations } = request
  const { nodeGroups } = ports.stores
  const cluster = await findCluster(request)
  const groups = await nodeGroups.listOf(cluster)
  const group = findNodeGroup(groups, params.nodegroup ?? '')
  if (operations.length === 0) return { cluster, group }
  const driver = driverFor(ports, cluster, 'node-group-update')
  requireSizes(group, operations)
  requireNoFault(faultsOf(group, operations))
  requireClusterChangeable(cluster)
  requireGroupChangeable(group)
  const change = changeOf(group, operations, ports.clock.now().toISOString())
  const changed = { ...group, ...change }
  const all = groups.map((other) => (other.id === group.id ? changed : other))
  const nodeCount = change.nodeCount === group.nodeCount ? null : change.nodeCount
  const task: ClusterTask = { kind: 'node-group-update', nodeGroupId: group.id, nodeCount }
  await requireAccepted(request, driver, { cluster, nodeGroups: all, task })
  await requestChange(request, cluster, {
    task,
    writes: [nodeGroups.change(group, change)],
    change: { nodes: nodesOf(all) },
    said: { reason: 'NodeGroupChanged', message: `Node group ${group.name} is being changed.` },
  })
  return { cluster, group: changed }
}

/**
 * `PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup}` → 202 (magnum-rest.md section 6). An empty patch is accepted and changes nothing.
 */
export const patchNodeGroup = async (request: Request): Promise<ApiResponse> => {
  const { cluster, group } = await retryOnConflict(() => decide(request))
  return { status: 202, body: showNodeGroup(cluster, group, request.baseUrl) }
}
