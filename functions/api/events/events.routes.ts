import * as z from 'zod'
import { InvalidRequest } from '../../core/errors.ts'
import { type DomainEvent, entityEvent } from '../../core/values/event.ts'
import type { FeedEntry, FeedPage } from '../../store/stores.ts'
import { flag, listQuery } from '../query.ts'
import { timestamp } from '../representation.ts'
import { type ApiRequest, type ApiResponse, route, type TableRoute } from '../route.ts'
import { namedFeed } from './named-feed.ts'

/** Before all positions. */
const NONE = '0'
const POSITION = /^[0-9]{1,40}$/
const SINCE_RULE = 'must be a cursor, as an answer of this route has it, or a time such as 2026-11-29T10:00:00Z'

const isTime = (text: string): boolean => z.iso.datetime({ offset: true }).safeParse(text).success

const eventsQuery = listQuery.pick({ limit: true }).extend({
  since: z
    .string()
    .refine((text) => POSITION.test(text) || isTime(text), { error: SINCE_RULE })
    .optional(),
  follow: flag,
})
type EventsQuery = z.output<typeof eventsQuery>

const showOwner = ({ owner, name }: DomainEvent) => ({ kind: owner.kind, uuid: owner.id, name: name ?? null })

/** An event of the feed, as lists and streams show it; `cursor` is where it stands. */
export const showFeedEvent = ({ position, event }: FeedEntry) => ({
  id: event.id,
  cursor: position,
  type: entityEvent(event)['detail-type'],
  owner: showOwner(event),
  cluster_id: event.clusterId,
  reason: event.reason,
  message: event.message,
  sequence: event.sequence,
  ...(event.health === undefined ? {} : { health: event.health }),
  ...(event.quarantined === undefined ? {} : { quarantined: event.quarantined }),
  time: timestamp(event.time),
})

/** Without leading zeros, as the store has them. */
const positionOf = (text: string): string => text.replace(/^0+(?=\d)/, '')

const isFrom = (since: string): Pick<FeedPage, 'after' | 'since'> =>
  POSITION.test(since) ? { after: positionOf(since) } : { since: new Date(since).toISOString() }

/** True for a cursor beyond the newest event. It is of another server, or of another data folder: whoever kept it would wait for ever. */
const isForeign = (after: string, newest: string): boolean => BigInt(after) > BigInt(newest)

/**
 * Where to begin. A browser that connects again says what it had last (`Last-Event-ID`); a stream without either begins now. What is no cursor of ours
 * is as good as none: the header is the browser's, and nobody reads an answer to it.
 */
const beginning = ({ query, headers }: ApiRequest<EventsQuery>, newest: string): Pick<FeedPage, 'after' | 'since'> => {
  const last = headers['last-event-id'] ?? ''
  if (query.follow && POSITION.test(last) && !isForeign(last, newest)) return { after: positionOf(last) }
  if (query.since !== undefined) return isFrom(query.since)
  return query.follow ? { after: newest } : {}
}

const newestOf = async ({ ports, principal }: ApiRequest): Promise<string> =>
  (await ports.stores.events.lastPosition(principal.projectId)) ?? NONE

/** Of a request whose cursor nothing came after. @throws InvalidRequest */
const requireOwnCursor = async (
  request: ApiRequest<EventsQuery>,
  { after }: Pick<FeedPage, 'after'>,
): Promise<void> => {
  if (request.query.since === undefined || after === undefined) return
  const newest = await newestOf(request)
  if (!isForeign(after, newest)) return
  throw new InvalidRequest(
    `"since" is ${after}, which is beyond the newest event of the project, ${newest}. It is a cursor of another server; begin without it.`,
  )
}

/**
 * `GET /v1/events`: what happened in the project, in the order in which it was stored. `cursor` is where the answer ends, to go on from; `next` is there
 * when more follows. With `follow=true` a server that can stream goes on from here (`event-stream.ts`).
 */
const listEvents = async (request: ApiRequest<EventsQuery>): Promise<ApiResponse> => {
  const { ports, query, principal, baseUrl, settings } = request
  // Read before the feed: of a feed that is empty after a time, all up to here was before that time. Whoever reads on by cursors needs none.
  const newest = query.follow || isTime(query.since ?? '') ? await newestOf(request) : NONE
  const from = beginning(request, newest)
  const { items, more } = await namedFeed(ports.stores)(principal.projectId, { limit: query.limit, ...from })
  if (items.length === 0) await requireOwnCursor(request, from)
  const cursor = items.at(-1)?.position ?? from.after ?? (newest === NONE ? null : newest)
  const next = more && cursor !== null ? { next: `${baseUrl}/v1/events?limit=${query.limit}&since=${cursor}` } : {}
  const { eventStreamUrl } = settings
  const isElsewhere = query.follow && eventStreamUrl !== undefined
  const link = `<${eventStreamUrl}?follow=true>; rel="alternate"; type="text/event-stream"`
  return {
    status: 200,
    ...(isElsewhere ? { headers: { Link: link } } : {}),
    body: { events: items.map(showFeedEvent), cursor, ...next },
  }
}

/** What happens in a project. */
export const EVENT_ROUTES: readonly TableRoute[] = [
  route({
    method: 'GET',
    path: '/v1/events',
    access: 'table',
    rule: 'event:get_all',
    summary: 'Lists what happened in the project, or streams it as it happens.',
    schemas: { query: eventsQuery },
    media: ['text/event-stream'],
    handle: listEvents,
  }),
]
