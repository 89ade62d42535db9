import { noQuery } from '../query.ts'
import { type Route, route } from '../route.ts'
import { createNodeGroupHandler, deleteNodeGroupHandler, patchNodeGroup } from './change-node-groups.ts'
import { createNodeGroupBody, nodeGroupPatchBody } from './node-group.schema.ts'
import { COLLECTION, ITEM, SINCE } from './nodegroups.routes.ts'

/** Changes, which whoever makes the cluster is asked about first: that needs a way to him. */
export const NODE_GROUP_KEYS_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: COLLECTION,
    access: 'keys',
    rule: 'nodegroup:create',
    idempotent: true,
    summary: 'Creates a node group.',
    minVersion: SINCE,
    schemas: { query: noQuery, body: createNodeGroupBody },
    handle: createNodeGroupHandler,
  }),
  route({
    method: 'PATCH',
    path: ITEM,
    access: 'keys',
    rule: 'nodegroup:update',
    summary: 'Changes limits, labels or taints of a node group.',
    minVersion: SINCE,
    schemas: { query: noQuery, body: nodeGroupPatchBody },
    handle: patchNodeGroup,
  }),
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'keys',
    rule: 'nodegroup:delete',
    summary: 'Deletes a node group.',
    minVersion: SINCE,
    schemas: { query: noQuery },
    handle: deleteNodeGroupHandler,
  }),
]
