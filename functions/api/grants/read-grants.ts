import { notFound } from '../../core/errors.ts'
import { endOf, type Grant, isLive } from '../../core/grant/grant.ts'
import { mapLimited } from '../../core/map-limited.ts'
import { isUuid } from '../../core/values/ids.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import { listResponse, selectPage } from '../lists.ts'
import type { ListQuery } from '../query.ts'
import { timestamp } from '../representation.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'

const stateOf = (grant: Grant, now: string): 'live' | 'revoked' | 'expired' => {
  if (isLive(grant, now)) return 'live'
  return grant.revokedAt === null ? 'expired' : 'revoked'
}

/**
 * A grant as its giver or its receiver sees it. A receiver sees of the cluster what it was called when the grant was given, and of its uses those by
 * the own federations.
 */
export const showGrant = (grant: Grant, viewer: string, now: string) => {
  const { receiver } = grant
  const isGiver = grant.projectId === viewer
  return {
    uuid: grant.id,
    direction: isGiver ? 'given' : 'received',
    cluster_uuid: grant.clusterId,
    cluster_name: grant.clusterName,
    owner_project_id: grant.projectId,
    project_id: 'projectId' in receiver ? receiver.projectId : null,
    federation_id: 'federationId' in receiver ? receiver.federationId : null,
    actions: grant.actions,
    rights: grant.rights,
    state: stateOf(grant, now),
    expires_at: timestamp(grant.expiresAt),
    revoked_at: timestamp(grant.revokedAt),
    created_at: timestamp(grant.createdAt),
    user_id: isGiver ? grant.userId : null,
    federations: grant.uses
      .filter(({ projectId }) => isGiver || projectId === viewer)
      .map(({ federationId, projectId, side, since }) => ({
        uuid: federationId,
        project_id: projectId,
        role: side,
        since: timestamp(since),
      })),
  }
}

/** The grant that the path names, of a cluster of the own project. @throws ObjectNotVisible, NameAmbiguous, PolicyForbids */
export const findGrant = async (request: ApiRequest) => {
  const cluster = await findCluster(request)
  const { grant: id = '' } = request.params
  const { projectId, id: clusterId } = cluster
  const grant = isUuid(id) ? await request.ports.stores.grants.get({ projectId, clusterId, id }) : undefined
  if (grant === undefined) throw notFound('Grant', id)
  return { grant, cluster }
}

type ListRequest = ApiRequest<ListQuery>

const COLUMNS = {
  id: ({ id }: Grant) => id,
  uuid: ({ id }: Grant) => id,
  cluster_uuid: ({ clusterId }: Grant) => clusterId,
  created_at: ({ createdAt }: Grant) => createdAt,
  expires_at: (grant: Grant) => endOf(grant),
}

const answerPage = async (request: ListRequest, path: string, grants: readonly Grant[]): Promise<ApiResponse> => {
  const { query, baseUrl, principal, ports } = request
  const ordered = [...grants].sort((one, other) => (one.id < other.id ? -1 : 1))
  const page = await selectPage<Grant>(
    {
      noun: 'Grant',
      columns: COLUMNS,
      get: async (id) => ordered.find((grant) => grant.id === id),
      page: async ({ limit, marker }) => {
        const after = ordered.filter(({ id }) => marker === undefined || id > marker)
        return { items: after.slice(0, limit), more: after.length > limit }
      },
    },
    query,
  )
  const now = ports.clock.now().toISOString()
  return listResponse(page, query, {
    collection: 'grants',
    url: `${baseUrl}/v1/${path}`,
    write: (grant) => JSON.stringify(showGrant(grant, principal.projectId, now)),
  })
}

/** `GET /v1/clusters/{cluster}/grants`: those of one cluster of the own project. */
export const listClusterGrants = async (request: ListRequest): Promise<ApiResponse> => {
  const cluster = await findCluster(request)
  return answerPage(request, `clusters/${cluster.id}/grants`, await request.ports.stores.grants.listOf(cluster))
}

/** `GET /v1/grants`: all that the project gave, and all that it or one of its federations received. */
export const listGrants = async (request: ListRequest): Promise<ApiResponse> => {
  const { stores } = request.ports
  const { projectId } = request.principal
  const ids = await federationIds(request)
  const lists = await Promise.all([
    stores.grants.given(projectId),
    stores.grants.received({ projectId }),
    mapLimited(ids, (federationId) => stores.grants.received({ federationId })).then((those) => those.flat()),
  ])
  // A federation of the own project needs none, and may have been given one.
  const grants = new Map(lists.flat().map((grant) => [grant.id, grant]))
  return answerPage(request, 'grants', [...grants.values()])
}

const federationIds = async ({ ports, principal }: ListRequest): Promise<string[]> => {
  const ids: string[] = []
  for (let more = true; more; ) {
    const marker = ids.at(-1)
    const page = await ports.stores.federations.list(principal.projectId, {
      limit: 1000,
      ...(marker === undefined ? {} : { marker }),
    })
    ids.push(...page.items.map(({ id }) => id))
    more = page.more && page.items.length > 0
  }
  return ids
}

/** `GET /v1/clusters/{cluster}/grants/{grant}`. */
export const getGrant = async (request: ApiRequest): Promise<ApiResponse> => {
  const { grant } = await findGrant(request)
  const now = request.ports.clock.now().toISOString()
  return { status: 200, body: showGrant(grant, request.principal.projectId, now) }
}
