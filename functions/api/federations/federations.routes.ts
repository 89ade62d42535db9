import * as z from 'zod'
import { listQuery, pageQuery } from '../lists/list-query.ts'
import { flag, noQuery } from '../query.ts'
import { type Route, route } from '../route.ts'
import { deleteFederation } from './delete-federation.ts'
import { listEvents } from './federation-events.ts'
import { detailFederations, getFederation, getMember, listFederations, listMembers } from './read-federations.ts'

const COLLECTION = '/v1/federations'
const ITEM = '/v1/federations/{federation}'

/** Routes that need no key. */
export const FEDERATION_ROUTES: readonly Route[] = [
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
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'table',
    rule: 'federation:delete',
    schemas: { query: z.object({ force: flag }) },
    handle: deleteFederation,
  }),
]
