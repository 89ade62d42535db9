import { type Noun, notFound } from '../core/errors.ts'
import type { DomainEvent, EventOwner } from '../core/values/event.ts'
import { listResponse } from './lists.ts'
import type { PageQuery } from './query.ts'
import { timestamp } from './representation.ts'
import type { ApiRequest, ApiResponse } from './route.ts'

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

/** Whose events they are. */
type History = EventOwner & {
  projectId: string
  /** For messages: `Federation`. */
  noun: Noun
  /** Below `/v1`: `federations`. */
  collection: string
  isThere(): Promise<boolean>
}

/** A page of what happened to an entity, oldest first; also after it is gone, for the 30 days that events outlive it. @throws ObjectNotVisible */
export const listEventsOf = async (
  { ports, query, baseUrl }: ApiRequest<PageQuery>,
  { projectId, kind, id, noun, collection, isThere }: History,
): Promise<ApiResponse> => {
  const { limit, marker } = query
  const page = await ports.stores.events.listOf(
    projectId,
    { kind, id },
    { limit, ...(marker === undefined ? {} : { marker }) },
  )
  if (page.items.length === 0 && marker === undefined && !(await isThere())) throw notFound(noun, id)
  return listResponse(page, query, {
    collection: 'events',
    url: `${baseUrl}/v1/${collection}/${id}/events`,
    write: (event) => JSON.stringify(showEvent(event)),
  })
}
