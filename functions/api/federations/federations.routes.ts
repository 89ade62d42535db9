import { releaseSelector } from '../../core/selector/release-selector.ts'
import { noAttributes } from '../body/attributes.ts'
import { find } from '../lookup.ts'
import { listQuery, noQuery, pageQuery } from '../query.ts'
import { type ApiRequest, type ApiResponse, route, type TableRoute } from '../route.ts'
import {
  detailFederations,
  getFederation,
  getMember,
  listFederationEvents,
  listFederations,
  listMembers,
} from './read-federations.ts'
import { rotateMember, rotateMembers } from './rotate-members.ts'

/** `POST /v1/federations/{federation}/actions/release-selector` → 202. */
const releaseSelectorHandler = async (request: ApiRequest): Promise<ApiResponse> => {
  const { ports, principal, params } = request
  const federation = await find(ports.stores.federations, 'Federation', principal.projectId, params.federation ?? '')
  await releaseSelector(ports, federation)
  return { status: 202, body: { uuid: federation.id } }
}

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
    method: 'POST',
    path: `${ITEM}/actions/release-selector`,
    access: 'table',
    rule: 'federation:update',
    schemas: { query: noQuery, body: noAttributes },
    summary: 'Lets members leave that the selector holds back, because they are more than half.',
    handle: releaseSelectorHandler,
  }),
  route({
    method: 'POST',
    path: `${ITEM}/members/{cluster}/actions/rotate`,
    access: 'table',
    rule: 'federation:update',
    schemas: { query: noQuery, body: noAttributes },
    summary: "Makes the control plane's credentials of a member worthless, and replaces them.",
    handle: rotateMember,
  }),
  route({
    method: 'POST',
    path: `${ITEM}/actions/rotate-members`,
    access: 'table',
    rule: 'federation:update',
    schemas: { query: noQuery, body: noAttributes },
    summary: 'The same for all members.',
    handle: rotateMembers,
  }),
]
