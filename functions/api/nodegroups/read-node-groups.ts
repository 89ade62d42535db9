import * as z from 'zod'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { findNodeGroup } from '../../core/cluster/find-node-group.ts'
import { NODE_GROUP_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { isMaster, type NodeGroup } from '../../core/cluster/node-group.ts'
import { isInProgress } from '../../core/values/status.ts'
import type { Page, PageRequest } from '../../store/page.ts'
import { comparedLabels, type Shown, sortColumns, toJson, toObject, type View } from '../attributes.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import { type Listing, listResponse, selectPage } from '../lists.ts'
import { listQuery } from '../query.ts'
import { linksOf } from '../representation.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'

/** Where the cluster's driver makes no nodes, `nodes` is null and they are as many as were seen. */
const nodeCountOf = (cluster: Cluster, group: NodeGroup): number => {
  const { nodes, observation } = cluster
  if (nodes !== null || observation === null) return group.nodeCount
  return isMaster(group) ? observation.masterCount : observation.nodeCount
}

/** Nothing while a change runs: what is kept then is why the group's upgrade failed before (decision 0025). */
const statusReasonOf = ({ status, statusReason }: NodeGroup): string | null =>
  isInProgress(status) ? null : statusReason

type NodeGroupView = View & { baseUrl: string; cluster: Cluster }

/** Labels are compared with the cluster's, `stack_id` stays in every version, and limits are the true ones (magnum-rest.md section 6). */
const SHOWN_NODE_GROUP: Shown<typeof NODE_GROUP_ATTRIBUTES, NodeGroup, NodeGroupView> = {
  kept: (group) => group,
  computed: {
    id: ({ number }) => number,
    uuid: ({ id }) => id,
    merge_labels: () => false,
    node_count: (group, { cluster }) => nodeCountOf(cluster, group),
    stack_id: ({ id }) => id,
    status_reason: statusReasonOf,
    ...comparedLabels(({ labels }, { cluster }) => [labels, cluster.magnum.labels]),
    links: ({ id, clusterId }, { baseUrl }) => linksOf(baseUrl, `clusters/${clusterId}/nodegroups`, id),
  },
}

/** An item of the list. */
const writeNodeGroup = toJson(NODE_GROUP_ATTRIBUTES, SHOWN_NODE_GROUP, 'list')
export const showNodeGroup = toObject(NODE_GROUP_ATTRIBUTES, SHOWN_NODE_GROUP, 'one')

/** Query of the list: `role` leaves out the groups of other roles. */
export const nodeGroupsQuery = listQuery.extend({ role: z.string().optional() })

const pageOf = (groups: readonly NodeGroup[], { limit, marker }: PageRequest): Page<NodeGroup> => {
  const from = marker === undefined ? 0 : groups.findIndex(({ id }) => id === marker) + 1
  return { items: groups.slice(from, from + limit), more: from + limit < groups.length }
}

const listingOf = (groups: readonly NodeGroup[], view: NodeGroupView): Listing<NodeGroup> => ({
  noun: 'NodeGroup',
  columns: sortColumns(NODE_GROUP_ATTRIBUTES, SHOWN_NODE_GROUP, view),
  get: async (id) => groups.find((group) => group.id === id),
  page: async (page) => pageOf(groups, page),
})

/** `GET /v1/clusters/{cluster}/nodegroups` (magnum-rest.md section 6). */
export const listNodeGroups = async (request: ApiRequest<z.output<typeof nodeGroupsQuery>>): Promise<ApiResponse> => {
  const { ports, query, baseUrl, minor } = request
  const { role } = query
  const cluster = await findCluster(request, 'nodegroup:get_all_all_projects')
  const all = await ports.stores.nodeGroups.listOf(cluster)
  const groups = role === undefined ? all : all.filter((group) => group.role === role)
  const view = { baseUrl, minor, cluster }
  return listResponse(await selectPage(listingOf(groups, view), query), query, {
    collection: 'nodegroups',
    url: `${baseUrl}/v1/clusters/${cluster.id}/nodegroups`,
    keep: { role },
    write: writeNodeGroup(view),
  })
}

/** `GET /v1/clusters/{cluster}/nodegroups/{nodegroup}`. */
export const getNodeGroup = async (request: ApiRequest): Promise<ApiResponse> => {
  const { ports, params } = request
  const cluster = await findCluster(request, 'nodegroup:get_one_all_projects')
  const group = findNodeGroup(await ports.stores.nodeGroups.listOf(cluster), params.nodegroup ?? '')
  return { status: 200, body: showNodeGroup(group, { ...request, cluster }) }
}
