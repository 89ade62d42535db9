import { isUuid } from '../../core/values/ids.ts'
import { listEventsOf } from '../events/list-events.ts'
import type { PageQuery } from '../lists/list-query.ts'
import { find } from '../lookup.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'

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
