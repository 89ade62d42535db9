import * as z from 'zod'
import { listQuery, pageQuery } from '../lists/list-query.ts'
import { flag, noQuery, rollback } from '../query.ts'
import { type Route, route } from '../route.ts'
import { createFederationHandler } from './create-federation.ts'
import { deleteFederation } from './delete-federation.ts'
import { createFederationBody } from './federation.schema.ts'
import { listEvents } from './federation-events.ts'
import { federationPatchBody } from './federation-patch.ts'
import { patchFederation } from './patch-federation.ts'
import { detailFederations, getFederation, getMember, listFederations, listMembers } from './read-federations.ts'

const COLLECTION = '/v1/federations'
const ITEM = '/v1/federations/{federation}'

const READS: readonly Route[] = [
  route({
    method: 'GET',
    path: COLLECTION,
    access: 'table',
    rule: 'federation:get_all',
    schemas: { query: listQuery },
    handle: listFederations,
  }),
  route({
    method: 'GET',
    path: `${COLLECTION}/detail`,
    access: 'table',
    rule: 'federation:detail',
    schemas: { query: listQuery },
    handle: detailFederations,
  }),
  route({
    method: 'GET',
    path: ITEM,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: noQuery },
    handle: getFederation,
  }),
  route({
    method: 'GET',
    path: `${ITEM}/members`,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: noQuery },
    handle: listMembers,
  }),
  route({
    method: 'GET',
    path: `${ITEM}/members/{cluster}`,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: noQuery },
    handle: getMember,
  }),
  route({
    method: 'GET',
    path: `${ITEM}/events`,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: pageQuery },
    handle: listEvents,
  }),
]

/** Create and update open clusters for `?dry_run=true`, with their stored credentials: hence `keys`. */
const WRITES: readonly Route[] = [
  route({
    method: 'POST',
    path: COLLECTION,
    access: 'keys',
    rule: 'federation:create',
    schemas: { query: z.object({ dry_run: flag }), body: createFederationBody },
    handle: createFederationHandler,
  }),
  route({
    method: 'PATCH',
    path: ITEM,
    access: 'keys',
    rule: 'federation:update',
    schemas: { query: z.object({ rollback, dry_run: flag, force: flag }), body: federationPatchBody },
    handle: patchFederation,
  }),
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'table',
    rule: 'federation:delete',
    schemas: { query: z.object({ force: flag }) },
    handle: deleteFederation,
  }),
]

export const FEDERATION_ROUTES: readonly Route[] = [...READS, ...WRITES]
