import type { ClusterTask } from '../../core/cluster/cluster-task.ts'
import { dropNodeGroup, isOnlyAskedFor } from '../../core/cluster/drop-node-group.ts'
import { findNodeGroup } from '../../core/cluster/find-node-group.ts'
import { nodesOf } from '../../core/cluster/node-group.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { truncatedGroup } from '../../core/operation/truncated.ts'
import { quote } from '../../core/values/wording.ts'
import { requestChange } from '../cloud/request-change.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { driverFor, requireAccepted, requireClusterChangeable } from './node-group-rules.ts'

/** Reads, decides, commits; nothing when the group goes already. One that was only asked for is gone at once. */
const decide = async (request: KeysRequest): Promise<void> => {
  const { ports, params } = request
  const { nodeGroups } = ports.stores
  const cluster = await findCluster(request)
  const groups = await nodeGroups.listOf(cluster)
  const group = findNodeGroup(groups, params.nodegroup ?? '')
  if (group.isDefault) {
    throw new InvalidRequest(
      `Node group ${quote(group.name)} can't be deleted: it is a default one, which goes with its cluster.`,
    )
  }
  if (group.status === 'DELETE_IN_PROGRESS') return
  const driver = driverFor(ports, cluster, 'node-group-delete')
  requireClusterChangeable(cluster)
  if (isOnlyAskedFor(cluster, group)) return dropNodeGroup(ports, cluster, groups, group)
  const change = {
    status: 'DELETE_IN_PROGRESS',
    statusReason: null,
    updatedAt: ports.clock.now().toISOString(),
  } as const
  const all = groups.map((other) => (other.id === group.id ? { ...other, ...change } : other))
  const task: ClusterTask = { kind: 'node-group-delete', nodeGroupId: group.id }
  await requireAccepted(request, driver, { cluster, nodeGroups: all, task })
  await requestChange(request, cluster, {
    task,
    takesPlace: true,
    writes: [nodeGroups.change(group, { ...change, ...truncatedGroup(group) })],
    // Its nodes count until they are gone.
    change: { nodes: nodesOf(all) },
    said: { reason: 'NodeGroupDeletion', message: `Node group ${group.name} is being deleted.` },
  })
}

/** `DELETE /v1/clusters/{cluster}/nodegroups/{nodegroup}` → 204 (magnum-rest.md section 6, 11 row 3). */
export const deleteNodeGroup = async (request: KeysRequest): Promise<ApiResponse> => {
  await retryOnConflict(() => decide(request))
  return { status: 204 }
}
