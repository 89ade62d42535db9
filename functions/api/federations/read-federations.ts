import type { Federation } from '../../core/federation/federation.ts'
import type { ListQuery } from '../lists/list-query.ts'
import { listResponse } from '../lists/list-response.ts'
import { type Columns, type Listing, selectPage } from '../lists/select-page.ts'
import { find } from '../lookup.ts'
import { mapLimited } from '../map-limited.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { findMembership } from './resolve-members.ts'
import { listFederation, listMember, showFederation, showMember } from './show-federation.ts'

/** Magnum's database columns (magnum-rest.md 8.1). */
const COLUMNS: Columns<Federation> = {
  id: ({ id }) => id,
  uuid: ({ id }) => id,
  name: ({ name }) => name,
  hostcluster_id: ({ hostClusterId }) => hostClusterId,
  member_ids: ({ memberIds }) => JSON.stringify(memberIds),
  status: ({ status }) => status,
  status_reason: ({ statusReason }) => statusReason,
  properties: ({ properties }) => JSON.stringify(properties),
  project_id: ({ projectId }) => projectId,
  created_at: ({ createdAt }) => createdAt,
  updated_at: ({ updatedAt }) => updatedAt,
}

const listingOf = ({ ports: { stores }, principal: { projectId } }: ApiRequest<ListQuery>): Listing<Federation> => ({
  noun: 'Federation',
  columns: COLUMNS,
  get: (id) => stores.federations.get({ projectId, id }),
  page: (page) => stores.federations.list(projectId, page),
})

export const listFederations = async (request: ApiRequest<ListQuery>): Promise<ApiResponse> => {
  const { query, baseUrl } = request
  const page = await selectPage(listingOf(request), query)
  return listResponse(page, query, {
    collection: 'federations',
    url: `${baseUrl}/v1/federations`,
    show: (federation) => listFederation(federation, baseUrl),
  })
}

export const detailFederations = async (request: ApiRequest<ListQuery>): Promise<ApiResponse> => {
  const { query, baseUrl } = request
  const page = await selectPage(listingOf(request), query)
  const lists = await mapLimited(page.items, (federation) => request.ports.stores.memberships.listOf(federation))
  const memberships = new Map(page.items.map(({ id }, index) => [id, lists[index] ?? []]))
  return listResponse(page, query, {
    collection: 'federations',
    url: `${baseUrl}/v1/federations/detail`,
    show: (federation) => showFederation(federation, memberships.get(federation.id) ?? [], baseUrl),
  })
}

const readOne = async ({ ports, principal, params }: ApiRequest) => {
  const { stores } = ports
  const federation = await find(stores.federations, 'Federation', principal.projectId, params.federation ?? '')
  return { federation, memberships: await stores.memberships.listOf(federation) }
}

export const getFederation = async (request: ApiRequest): Promise<ApiResponse> => {
  const { federation, memberships } = await readOne(request)
  return { status: 200, body: showFederation(federation, memberships, request.baseUrl) }
}

export const listMembers = async (request: ApiRequest): Promise<ApiResponse> => {
  const { memberships } = await readOne(request)
  return { status: 200, body: { members: memberships.map(listMember) } }
}

export const getMember = async (request: ApiRequest): Promise<ApiResponse> => {
  const membership = await findMembership(request, await readOne(request), request.params.cluster ?? '')
  return { status: 200, body: showMember(membership) }
}
