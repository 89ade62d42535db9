import * as z from 'zod'
import { findNodeGroup } from '../../core/cluster/find-node-group.ts'
import { NODE_GROUP_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import type { NodeGroup } from '../../core/cluster/node-group.ts'
import type { Page, PageRequest } from '../../store/page.ts'
import { sortColumns } from '../attributes.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import { listQuery } from '../lists/list-query.ts'
import { listResponse } from '../lists/list-response.ts'
import { type Listing, selectPage } from '../lists/select-page.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { type NodeGroupView, SHOWN_NODE_GROUP, showNodeGroup, writeNodeGroup } from './show-node-group.ts'

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
