import type { DomainEvent } from '../../core/values/event.ts'
import type { EventStore, FeedEntry } from '../stores.ts'
import type { Commit } from '../write.ts'
import { alreadyExists, asWrite } from './action.ts'
import { EVENT_SCHEMA_VERSION, eventItem, feedItem, storedOwner } from './event.schema.ts'
import { parseItem } from './item.schema.ts'
import { epochSeconds, eventPrefix, feedKey, feedPartition, projectPartition } from './keys.ts'
import { queryItems, readPage, takePage } from './read.ts'
import type { StoreContext } from './request.ts'

/** How long history is kept, seconds: 30 days. */
const EVENT_LIFE_SECONDS = 30 * 24 * 3600

const stored = (context: StoreContext, event: DomainEvent) => ({
  schemaVersion: EVENT_SCHEMA_VERSION,
  ttl: epochSeconds(context.clock) + EVENT_LIFE_SECONDS,
  ...event,
  ...storedOwner(event.owner),
})

/** Feeds of projects in DynamoDB. The forwarder of the stream, which writes them, needs nothing else of the stores. */
export const dynamoFeed = (
  context: StoreContext,
  commit: Commit,
): Pick<EventStore, 'publish' | 'feed' | 'lastPosition'> => ({
  // Who reads a feed does not see by whose word: operators do, on the bus.
  publish: ({ position, event: { audit: _, ...event } }) =>
    commit([
      asWrite({
        type: 'put',
        item: { ...feedKey(event.projectId, position), ...stored(context, event), position },
        condition: 'attribute_not_exists(#pk)',
        optional: true,
        onConflict: () => alreadyExists('event', event.id),
      }),
    ]),
  feed: (projectId, { limit, after, since = '' }) => {
    const now = epochSeconds(context.clock)
    const items = queryItems(context, {
      KeyConditionExpression: '#pk = :pk AND #sk > :after',
      ExpressionAttributeValues: {
        ':pk': feedPartition(projectId),
        ':after': after === undefined ? '0' : feedKey(projectId, after).sk,
      },
      // One more than the page may have; a time is looked for in all of them.
      ...(since === '' ? { Limit: limit + 1 } : {}),
      ConsistentRead: true,
    })
    return takePage(items, limit, (item): FeedEntry | undefined => {
      const { ttl, position, event } = parseItem(feedItem, item)
      return ttl > now && event.time >= since ? { position, event } : undefined
    })
  },
  lastPosition: async (projectId) => {
    const newest = queryItems(context, {
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeValues: { ':pk': feedPartition(projectId) },
      ScanIndexForward: false,
      Limit: 1,
      ConsistentRead: true,
    })
    for await (const item of newest) return parseItem(feedItem, item).position
    return undefined
  },
})

/** Events in DynamoDB: the outbox of the table's stream, the history of an entity, and the feed of a project. */
export const dynamoEventStore = (context: StoreContext, commit: Commit): EventStore => ({
  ...dynamoFeed(context, commit),
  append: (event: DomainEvent) =>
    asWrite({
      type: 'put',
      item: {
        pk: projectPartition(event.projectId),
        sk: `${eventPrefix(event.owner)}${event.id}`,
        ...stored(context, event),
      },
      condition: 'attribute_not_exists(#pk)',
      onConflict: () => alreadyExists('event', event.id),
    }),
  listOf: (projectId, owner, page) => {
    const now = epochSeconds(context.clock)
    return readPage(context, {
      pk: projectPartition(projectId),
      prefix: eventPrefix(owner),
      page,
      parse: (item) => {
        const { ttl, event } = parseItem(eventItem, item)
        return ttl > now ? event : undefined
      },
    })
  },
})
