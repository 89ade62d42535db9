import type { DynamoDBRecord } from 'aws-lambda'
import type { Logger, PublishMetrics } from '../core/ports.ts'
import type { DomainEvent } from '../core/values/event.ts'
import { ItemCorrupt } from '../store/errors.ts'

type EventOf = (record: DynamoDBRecord) => DomainEvent | undefined

/**
 * Reads the events of a stream, and passes over what does not have the shape of one, which is logged and counted for the alarm `events-undelivered`. The
 * stream would send it again for a day, with everything of its shard behind it, and it would not be better for it.
 */
export const passingOver =
  (eventOf: EventOf, { log, publish }: { log: Logger; publish: PublishMetrics }): EventOf =>
  (record) => {
    try {
      return eventOf(record)
    } catch (error) {
      if (!(error instanceof ItemCorrupt)) throw error
      log.error('event passed over: it can not be read', { error: error.name, message: error.message })
      publish({ EventsUnreadable: 1 })
      return undefined
    }
  }
