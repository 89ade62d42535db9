import type { DomainEvent } from '../../core/values/event.ts'
import type { EventStore } from '../stores.ts'
import { alreadyExists, asWrite } from './action.ts'
import { EVENT_SCHEMA_VERSION, eventItem } from './event.schema.ts'
import { parseItem } from './item.schema.ts'
import { epochSeconds, eventPrefix, projectPartition } from './keys.ts'
import { readPage } from './read.ts'
import type { StoreContext } from './request.ts'

/** How long history is kept, seconds: 30 days. */
const EVENT_LIFE_SECONDS = 30 * 24 * 3600

/** Events in DynamoDB: the outbox of the table's stream, and the history at `/events`. */
export const dynamoEventStore = (context: StoreContext): EventStore => ({
  append: (event: DomainEvent) =>
    asWrite({
      type: 'put',
      item: {
        pk: projectPartition(event.projectId),
        sk: `${eventPrefix(event.owner)}${event.id}`,
        schemaVersion: EVENT_SCHEMA_VERSION,
        ttl: epochSeconds(context.clock) + EVENT_LIFE_SECONDS,
        ...event,
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
