import * as z from 'zod'
import { findNodeGroup } from '../../core/cluster/find-node-group.ts'
import type { NodeGroup } from '../../core/cluster/node-group.ts'
import type { Page, PageRequest } from '../../store/page.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import { listQuery } from '../lists/list-query.ts'
import { listResponse } from '../lists/list-response.ts'
import { type Columns, type Listing, selectPage } from '../lists/select-page.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { listNodeGroup, showNodeGroup, statusReasonOf } from './show-node-group.ts'

/** Query of the list: `role` leaves out the groups of other roles. */
export const nodeGroupsQuery = listQuery.extend({ role: z.string().optional() })

/** Magnum's database columns (magnum-rest.md section 2). */
const COLUMNS: Columns<NodeGroup> = {
  id: ({ number }) => number,
  uuid: ({ id }) => id,
  name: ({ name }) => name,
  cluster_id: ({ clusterId }) => clusterId,
  project_id: ({ projectId }) => projectId,
  docker_volume_size: ({ dockerVolumeSize }) => dockerVolumeSize,
  labels: ({ labels }) => JSON.stringify(labels),
  flavor_id: ({ flavorId }) => flavorId,
  image_id: ({ imageId }) => imageId,
  node_addresses: ({ nodeAddresses }) => JSON.stringify(nodeAddresses),
  node_count: ({ nodeCount }) => nodeCount,
  role: ({ role }) => role,
  max_node_count: ({ maxNodeCount }) => maxNodeCount,
  min_node_count: ({ minNodeCount }) => minNodeCount,
  is_default: ({ isDefault }) => isDefault,
  stack_id: ({ clusterId }) => clusterId,
  status: ({ status }) => status,
  status_reason: statusReasonOf,
  version: ({ version }) => version,
  node_labels: ({ nodeLabels }) => JSON.stringify(nodeLabels),
  node_taints: ({ nodeTaints }) => JSON.stringify(nodeTaints),
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
}

const pageOf = (groups: readonly NodeGroup[], { limit, marker }: PageRequest): Page<NodeGroup> => {
  const from = marker === undefined ? 0 : groups.findIndex(({ id }) => id === marker) + 1
  return { items: groups.slice(from, from + limit), more: from + limit < groups.length }
}

const listingOf = (groups: readonly NodeGroup[]): Listing<NodeGroup> => ({
  noun: 'NodeGroup',
  columns: COLUMNS,
  get: async (id) => groups.find((group) => group.id === id),
  page: async (page) => pageOf(groups, page),
})

/** `GET /v1/clusters/{cluster}/nodegroups` (magnum-rest.md section 6). */
export const listNodeGroups = async (request: ApiRequest<z.output<typeof nodeGroupsQuery>>): Promise<ApiResponse> => {
  const { ports, query, baseUrl } = request
  const { role } = query
  const cluster = await findCluster(request, 'nodegroup:get_all_all_projects')
  const all = await ports.stores.nodeGroups.listOf(cluster)
  const groups = role === undefined ? all : all.filter((group) => group.role === role)
  return listResponse(await selectPage(listingOf(groups), query), query, {
    collection: 'nodegroups',
    url: `${baseUrl}/v1/clusters/${cluster.id}/nodegroups`,
    keep: { role },
    show: (group) => listNodeGroup(cluster, group),
  })
}

/** `GET /v1/clusters/{cluster}/nodegroups/{nodegroup}`. */
export const getNodeGroup = async (request: ApiRequest): Promise<ApiResponse> => {
  const { ports, params, baseUrl } = request
  const cluster = await findCluster(request, 'nodegroup:get_one_all_projects')
  const group = findNodeGroup(await ports.stores.nodeGroups.listOf(cluster), params.nodegroup ?? '')
  return { status: 200, body: showNodeGroup(cluster, group, baseUrl) }
}
