import * as z from 'zod'
import { listQuery, pageQuery } from '../lists/list-query.ts'
import { flag, noQuery } from '../query.ts'
import { route, type TableRoute } from '../route.ts'
import { deleteFederationHandler } from './delete-federation.ts'
import { listFederationEvents } from './federation-events.ts'
import { detailFederations, getFederation, getMember, listFederations, listMembers } from './read-federations.ts'
import { workloads } from './workloads.ts'

const COLLECTION = '/v1/federations'
const ITEM = '/v1/federations/{federation}'

/** Routes that need no key. */
export const FEDERATION_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: COLLECTION,
    access: 'table',
    rule: 'federation:get_all',
    schemas: { query: listQuery },
    summary: 'Lists the federations of the project.',
    handle: listFederations,
  }),
  route({
    method: 'GET',
    path: `${COLLECTION}/detail`,
    access: 'table',
    rule: 'federation:detail',
    schemas: { query: listQuery },
    summary: 'Lists the federations with everything that is known of them.',
    handle: detailFederations,
  }),
  route({
    method: 'GET',
    path: ITEM,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: noQuery },
    summary: 'Shows one federation.',
    handle: getFederation,
  }),
  route({
    method: 'GET',
    path: `${ITEM}/members`,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: noQuery },
    summary: 'Lists the member clusters, also those that join, leave or failed to.',
    handle: listMembers,
  }),
  route({
    method: 'GET',
    path: `${ITEM}/members/{cluster}`,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: noQuery },
    summary: 'Shows one member cluster.',
    handle: getMember,
  }),
  route({
    method: 'GET',
    path: `${ITEM}/events`,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: pageQuery },
    summary: 'Lists what happened, oldest first, for 30 days.',
    handle: listFederationEvents,
  }),
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'table',
    rule: 'federation:delete',
    schemas: { query: z.object({ force: flag, workloads }) },
    summary: 'Unjoins all members and removes the control plane.',
    handle: deleteFederationHandler,
  }),
]
