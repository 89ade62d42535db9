import type { Cluster } from '../../core/cluster/cluster.ts'
import { isMaster, type NodeGroup } from '../../core/cluster/node-group.ts'
import { labelDiff } from '../../core/values/labels.ts'
import { isInProgress } from '../../core/values/status.ts'
import { linksOf, timestamp } from '../representation.ts'

/** Where the cluster's driver makes no nodes, `nodes` is null and they are as many as were seen. */
const nodeCountOf = (cluster: Cluster, group: NodeGroup): number => {
  const { nodes, observation } = cluster
  if (nodes !== null || observation === null) return group.nodeCount
  return isMaster(group) ? observation.masterCount : observation.nodeCount
}

/** Nothing while a change runs: what is kept then is why the group's upgrade failed before (decision 0025). */
export const statusReasonOf = ({ status, statusReason }: NodeGroup): string | null =>
  isInProgress(status) ? null : statusReason

/** An item of the list: exactly Magnum's keys, with the true limits (magnum-rest.md section 6). */
export const listNodeGroup = (cluster: Cluster, group: NodeGroup) => ({
  uuid: group.id,
  name: group.name,
  flavor_id: group.flavorId,
  image_id: group.imageId,
  node_count: nodeCountOf(cluster, group),
  role: group.role,
  min_node_count: group.minNodeCount,
  max_node_count: group.maxNodeCount,
  is_default: group.isDefault,
  stack_id: group.clusterId,
  status: group.status,
  merge_labels: false,
})

/** One node group. Labels are compared with the cluster's; `stack_id` stays in every version. */
export const showNodeGroup = (cluster: Cluster, group: NodeGroup, baseUrl: string) => {
  const { overridden, added, skipped } = labelDiff(group.labels, cluster.magnum.labels)
  return {
    id: group.number,
    ...listNodeGroup(cluster, group),
    cluster_id: group.clusterId,
    project_id: group.projectId,
    docker_volume_size: group.dockerVolumeSize,
    labels: group.labels,
    links: linksOf(baseUrl, `clusters/${group.clusterId}/nodegroups`, group.id),
    node_addresses: group.nodeAddresses,
    status_reason: statusReasonOf(group),
    version: group.version,
    labels_overridden: overridden,
    labels_added: added,
    labels_skipped: skipped,
    node_labels: group.nodeLabels,
    node_taints: group.nodeTaints,
    created_at: timestamp(group.createdAt),
    updated_at: timestamp(group.updatedAt),
  }
}
