import { noQuery } from '../query.ts'
import { route, type TableRoute } from '../route.ts'
import { COLLECTION, ITEM, SINCE } from './paths.ts'
import { getNodeGroup, listNodeGroups, nodeGroupsQuery } from './read-node-groups.ts'

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
