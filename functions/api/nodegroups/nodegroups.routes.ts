import { noQuery } from '../query.ts'
import { route, type TableRoute } from '../route.ts'
import { getNodeGroup, listNodeGroups, nodeGroupsQuery } from './read-node-groups.ts'

/** Paths of node groups. */
export const COLLECTION = '/v1/clusters/{cluster}/nodegroups'
export const ITEM = `${COLLECTION}/{nodegroup}` as const

/** Minor version with which they came (magnum-rest.md 1.4). */
export const SINCE = 9

/** Routes that need no key. */
export const NODE_GROUP_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: COLLECTION,
    access: 'table',
    rule: 'nodegroup:get_all',
    summary: 'Lists the node groups of a cluster.',
    minVersion: SINCE,
    schemas: { query: nodeGroupsQuery },
    handle: listNodeGroups,
  }),
  route({
    method: 'GET',
    path: ITEM,
    access: 'table',
    rule: 'nodegroup:get',
    summary: 'Shows a node group.',
    minVersion: SINCE,
    schemas: { query: noQuery },
    handle: getNodeGroup,
  }),
]
