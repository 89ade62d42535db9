import type { DomainEvent } from '../../domain/event.ts'
import { isUuid } from '../../domain/ids.ts'
import type { PageQuery } from '../lists/list-query.ts'
import { listResponse } from '../lists/list-response.ts'
import { find, notFound } from '../lookup.ts'
import { timestamp } from '../representation.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'

const showEvent = (event: DomainEvent) => ({
  id: event.id,
  action: event.action,
  outcome: event.outcome,
  reason: event.reason,
  message: event.message,
  cluster_id: event.clusterId,
  sequence: event.sequence,
  time: timestamp(event.time),
})

/** By name only while it is there; by id as long as there are events, which outlive it by 30 days. */
const idOf = async ({ ports, principal, params }: ApiRequest<PageQuery>): Promise<string> => {
  const ident = params.federation ?? ''
  if (isUuid(ident)) return ident
  return (await find(ports.stores.federations, 'Federation', principal.projectId, ident)).id
}

/** `GET /v1/federations/{federation}/events`: what happened, oldest first, also after the federation is gone. */
export const listEvents = async (request: ApiRequest<PageQuery>): Promise<ApiResponse> => {
  const { ports, principal, query, baseUrl } = request
  const { projectId } = principal
  const id = await idOf(request)
  const { limit, marker } = query
  const owner = { kind: 'federation', id } as const
  const page = await ports.stores.events.listOf(projectId, owner, {
    limit,
    ...(marker === undefined ? {} : { marker }),
  })
  const isThere = page.items.length > 0 || (await ports.stores.federations.get({ projectId, id })) !== undefined
  if (!isThere && marker === undefined) throw notFound('Federation', id)
  return listResponse(page, query, {
    collection: 'events',
    url: `${baseUrl}/v1/federations/${id}/events`,
    show: showEvent,
  })
}
