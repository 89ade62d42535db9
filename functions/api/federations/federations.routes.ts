import * as z from 'zod'
import { pageAnswer } from '../common.answer.schema.ts'
import { listQuery, pageQuery } from '../lists/list-query.ts'
import { flag, noQuery } from '../query.ts'
import { type Route, route } from '../route.ts'
import { deleteFederation } from './delete-federation.ts'
import {
  eventAnswer,
  federationAnswer,
  federationItemAnswer,
  memberAnswer,
  membersAnswer,
} from './federation.answer.schema.ts'
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
    summary: 'Lists the federations of the project.',
    answers: { 200: pageAnswer('federations', federationItemAnswer) },
    handle: listFederations,
  }),
  route({
    method: 'GET',
    path: `${COLLECTION}/detail`,
    access: 'table',
    rule: 'federation:detail',
    schemas: { query: listQuery },
    summary: 'Lists the federations with everything that is known of them.',
    answers: { 200: pageAnswer('federations', federationAnswer) },
    handle: detailFederations,
  }),
  route({
    method: 'GET',
    path: ITEM,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: noQuery },
    summary: 'Shows one federation.',
    answers: { 200: federationAnswer },
    handle: getFederation,
  }),
  route({
    method: 'GET',
    path: `${ITEM}/members`,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: noQuery },
    summary: 'Lists the member clusters, also those that join, leave or failed to.',
    answers: { 200: membersAnswer },
    handle: listMembers,
  }),
  route({
    method: 'GET',
    path: `${ITEM}/members/{cluster}`,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: noQuery },
    summary: 'Shows one member cluster.',
    answers: { 200: memberAnswer },
    handle: getMember,
  }),
  route({
    method: 'GET',
    path: `${ITEM}/events`,
    access: 'table',
    rule: 'federation:get',
    schemas: { query: pageQuery },
    summary: 'Lists what happened, oldest first, for 30 days.',
    answers: { 200: pageAnswer('events', eventAnswer) },
    handle: listEvents,
  }),
  route({
    method: 'DELETE',
    path: ITEM,
    access: 'table',
    rule: 'federation:delete',
    schemas: { query: z.object({ force: flag }) },
    summary: 'Unjoins all members and removes the control plane.',
    answers: { 204: null },
    handle: deleteFederation,
  }),
]
