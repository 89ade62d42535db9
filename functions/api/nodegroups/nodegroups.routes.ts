import { noQuery } from '../query.ts'
import { route, type TableRoute } from '../route.ts'
import { createNodeGroupHandler } from './create-node-group.ts'
import { deleteNodeGroup } from './delete-node-group.ts'
import { createNodeGroupBody } from './node-group.schema.ts'
import { nodeGroupPatchBody } from './patch.schema.ts'
import { patchNodeGroup } from './patch-node-group.ts'
import { getNodeGroup, listNodeGroups, nodeGroupsQuery } from './read-node-groups.ts'

const COLLECTION = '/v1/clusters/{cluster}/nodegroups'
const ITEM = `${COLLECTION}/{nodegroup}`

/** Node groups came with version 1.9 (magnum-rest.md 1.4). */
const SINCE = 9

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
    method: 'POST',
    path: COLLECTION,
    access: 'table',
    rule: 'nodegroup:create',
    idempotent: true,
    summary: 'Creates a node group.',
    minVersion: SINCE,
    schemas: { query: noQuery, body: createNodeGroupBody },
    handle: createNodeGroupHandler,
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
  route({
    method: 'PATCH',
    path: ITEM,
    access: 'table',
    rule: 'nodegroup:update',
    summary: 'Changes limits, labels or taints of a node group.',
    minVersion: SINCE,
    schemas: { query: noQuery, body: nodeGroupPatchBody },
    handle: patchNodeGroup,
  }),
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'table',
    rule: 'nodegroup:delete',
    summary: 'Deletes a node group.',
    minVersion: SINCE,
    schemas: { query: noQuery },
    handle: deleteNodeGroup,
  }),
]
