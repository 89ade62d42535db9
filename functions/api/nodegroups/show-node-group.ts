import type { Cluster } from '../../core/cluster/cluster.ts'
import { NODE_GROUP_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { isMaster, type NodeGroup } from '../../core/cluster/node-group.ts'
import { isInProgress } from '../../core/values/status.ts'
import { comparedLabels, type Shown, toJson, toObject, type View } from '../attributes.ts'
import { linksOf } from '../representation.ts'

/** Where the cluster's driver makes no nodes, `nodes` is null and they are as many as were seen. */
const nodeCountOf = (cluster: Cluster, group: NodeGroup): number => {
  const { nodes, observation } = cluster
  if (nodes !== null || observation === null) return group.nodeCount
  return isMaster(group) ? observation.masterCount : observation.nodeCount
}

/** Nothing while a change runs: what is kept then is why the group's upgrade failed before (decision 0025). */
const statusReasonOf = ({ status, statusReason }: NodeGroup): string | null =>
  isInProgress(status) ? null : statusReason

export type NodeGroupView = View & { baseUrl: string; cluster: Cluster }

/** Labels are compared with the cluster's, `stack_id` stays in every version, and limits are the true ones (magnum-rest.md section 6). */
export const SHOWN_NODE_GROUP: Shown<typeof NODE_GROUP_ATTRIBUTES, NodeGroup, NodeGroupView> = {
  kept: (group) => group,
  computed: {
    id: ({ number }) => number,
    uuid: ({ id }) => id,
    merge_labels: () => false,
    node_count: (group, { cluster }) => nodeCountOf(cluster, group),
    stack_id: ({ clusterId }) => clusterId,
    status_reason: statusReasonOf,
    ...comparedLabels(({ labels }, { cluster }) => [labels, cluster.magnum.labels]),
    links: ({ id, clusterId }, { baseUrl }) => linksOf(baseUrl, `clusters/${clusterId}/nodegroups`, id),
  },
}

/** An item of the list. */
export const writeNodeGroup = toJson(NODE_GROUP_ATTRIBUTES, SHOWN_NODE_GROUP, 'list')
export const showNodeGroup = toObject(NODE_GROUP_ATTRIBUTES, SHOWN_NODE_GROUP, 'one')
