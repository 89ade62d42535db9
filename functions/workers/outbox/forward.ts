import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda'
import type { Logger, PutEvents } from '../../core/ports.ts'
import { type DomainEvent, type OutboxEvent, outboxEvents } from '../../core/values/event.ts'
import type { EventStore } from '../../store/stores.ts'

/** Most events in one call of `PutEvents`. */
const ENTRIES_MAX = 10

type Received = { sequenceNumber: string; event: DomainEvent }
type Outgoing = { sequenceNumber: string; event: OutboxEvent }

type ForwardParts = {
  /** The event of a stream record; undefined for records that are no new event. */
  eventOf(record: DynamoDBRecord): DomainEvent | undefined
  publish: EventStore['publish']
  put: PutEvents
  log: Logger
}

const receivedOf = (records: readonly DynamoDBRecord[], eventOf: ForwardParts['eventOf']): Received[] =>
  records.flatMap((record) => {
    const event = eventOf(record)
    return event === undefined ? [] : [{ sequenceNumber: record.dynamodb?.SequenceNumber ?? '', event }]
  })

const outgoingOf = (received: readonly Received[]): Outgoing[] =>
  received.flatMap(({ sequenceNumber, event }) => outboxEvents(event).map((it) => ({ sequenceNumber, event: it })))

/**
 * Puts the events of the table's stream into their projects' feeds, then on the bus, each with its notification: in order, and at least once. Lambda
 * sends again from the first record that is named in the answer.
 */
export const forwardEvents = async (
  records: readonly DynamoDBRecord[],
  { eventOf, publish, put, log }: ForwardParts,
): Promise<DynamoDBBatchResponse> => {
  const received = receivedOf(records, eventOf)
  // One after the other: a reader of a feed that has seen a later one does not look for earlier ones.
  for (const { sequenceNumber, event } of received) await publish({ position: sequenceNumber, event })
  const outgoing = outgoingOf(received)
  for (let start = 0; start < outgoing.length; start += ENTRIES_MAX) {
    const batch = outgoing.slice(start, start + ENTRIES_MAX)
    const taken = await put(batch.map(({ event }) => event))
    const failed = batch[taken]
    if (failed !== undefined) {
      log.warn('event not taken by the bus; the stream sends it again', { id: failed.event.id })
      return { batchItemFailures: [{ itemIdentifier: failed.sequenceNumber }] }
    }
  }
  return { batchItemFailures: [] }
}
