import type { Federation } from '../../core/federation/federation.ts'
import { DEFAULT_HEALTH_POLICY } from '../../core/health-policy/health-policy.ts'
import { mapLimited } from '../../core/map-limited.ts'
import { describeMoves, faultOf, type Membership, operationOf, progressOf } from '../../core/membership/membership.ts'
import { isUuid } from '../../core/values/ids.ts'
import { describeObject } from '../../core/values/object-ref.ts'
import { isInProgress } from '../../core/values/status.ts'
import { withoutFullStop } from '../../core/values/wording.ts'
import { listEventsOf } from '../events.ts'
import { type Columns, type Listing, listResponse, selectPage } from '../lists.ts'
import { find } from '../lookup.ts'
import type { ListQuery, PageQuery } from '../query.ts'
import { linksOf, showConditions, showOperation, timestamp } from '../representation.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { findMembership } from './members.ts'

/** An item of the plain list: exactly Magnum's keys (magnum-rest.md 8.2). */
const listFederation = (federation: Federation, baseUrl: string) => ({
  uuid: federation.id,
  name: federation.name,
  hostcluster_id: federation.hostClusterId,
  member_ids: federation.memberIds,
  status: federation.status,
  properties: federation.properties,
  links: linksOf(baseUrl, 'federations', federation.id),
})

/** Of a cluster of another project nothing that says more than its state. */
const messageOf = (membership: Membership): string | null => {
  if (membership.loan !== undefined) return faultOf(membership)?.message ?? null
  return ('message' in membership ? membership.message : progressOf(membership)) ?? null
}

/** A member as the federation lists it. `reason` and `message` tell what is wrong with it, or works in part only; `message` also what a moving one waits for. */
const listMember = (membership: Membership) => ({
  cluster_id: membership.clusterId,
  name: membership.memberName,
  state: membership.state,
  reason: ('reason' in membership ? membership.reason : null) ?? null,
  message: messageOf(membership),
  since: timestamp(membership.since),
  ...(membership.selectedBy === undefined ? {} : { selected: true }),
  ...(membership.cordon === undefined ? {} : { cordoned: true }),
  ...(membership.loan === undefined ? {} : { shared: true }),
})

/** One member, with what runs on it and what it left behind. */
const showMember = (membership: Membership) => ({
  ...listMember(membership),
  operation: showOperation(operationOf(membership)),
  ...(membership.loan === undefined ? detailsOf(membership) : { credential: null, leftovers: [] }),
})

const detailsOf = (membership: Membership) => ({
  credential: membership.credential && {
    kind: membership.credential.kind,
    expires_at: timestamp(membership.credential.expiresAt),
    renew_after: timestamp(membership.credential.renewAfter),
  },
  leftovers: membership.state === 'JoinFailed' ? membership.leftovers.map(describeObject) : [],
})

/** The federation's own reason, with what its members are doing while it is in progress: they don't write to it. */
const statusReasonOf = ({ status, statusReason: own }: Federation, memberships: readonly Membership[]) => {
  const moves = isInProgress(status) ? describeMoves(memberships) : null
  return own && moves ? `${withoutFullStop(own)}; ${moves}` : (moves ?? own)
}

/** Only what was said, and the guards as they are; null where there is none. */
const showSelector = ({ memberSelector }: Federation) =>
  memberSelector
    ? {
        labels: memberSelector.wanted.labels,
        driver: memberSelector.wanted.driver,
        health_status: memberSelector.wanted.healthStatus,
        status: memberSelector.wanted.status,
        version: memberSelector.wanted.version,
        max_unavailable: memberSelector.maxUnavailable,
        member_limit: memberSelector.memberLimit,
        set_by: memberSelector.consent.userId,
      }
    : null

/** What becomes of members that are unhealthy, and whom it took out. */
const showPolicy = ({ healthPolicy = DEFAULT_HEALTH_POLICY, leftUnhealthy = [] }: Federation) => ({
  on_unhealthy: healthPolicy.onUnhealthy,
  after_seconds: healthPolicy.afterSeconds,
  on_healthy: healthPolicy.onHealthy,
  left_unhealthy_ids: leftUnhealthy.map(({ clusterId }) => clusterId),
})

/** The whole federation: Magnum's attributes and ours. */
const showFederation = (federation: Federation, memberships: readonly Membership[], baseUrl: string) => ({
  ...listFederation(federation, baseUrl),
  status_reason: statusReasonOf(federation, memberships),
  created_at: timestamp(federation.createdAt),
  updated_at: timestamp(federation.updatedAt),
  driver: federation.driver,
  host: { created: !!federation.createdHost, keep: federation.createdHost?.keep ?? true },
  project_id: federation.projectId,
  conditions: showConditions(federation.conditions),
  members: memberships.map(listMember),
  operation: showOperation(federation.operation),
  endpoint: federation.endpoint,
  certificates_renew_after: timestamp(federation.renewAfter),
  member_selector: showSelector(federation),
  excluded_ids: federation.selection?.excluded ?? [],
  ...showPolicy(federation),
})

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
  isById: true,
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
    write: (federation) => JSON.stringify(listFederation(federation, baseUrl)),
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
    write: (federation) => JSON.stringify(showFederation(federation, memberships.get(federation.id) ?? [], baseUrl)),
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

/** By name only while it is there; by id as long as there are events, which outlive it by 30 days. */
const idOf = async ({ ports, principal, params }: ApiRequest<PageQuery>): Promise<string> => {
  const ident = params.federation ?? ''
  if (isUuid(ident)) return ident
  return (await find(ports.stores.federations, 'Federation', principal.projectId, ident)).id
}

/** `GET /v1/federations/{federation}/events`: what happened, oldest first, also after the federation is gone. */
export const listFederationEvents = async (request: ApiRequest<PageQuery>): Promise<ApiResponse> => {
  const { federations } = request.ports.stores
  const { projectId } = request.principal
  const id = await idOf(request)
  const isThere = async () => (await federations.get({ projectId, id })) !== undefined
  return listEventsOf(request, {
    kind: 'federation',
    projectId,
    id,
    noun: 'Federation',
    collection: 'federations',
    isThere,
  })
}
