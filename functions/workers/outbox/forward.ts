import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda'
import type { Logger, PutEvents } from '../../core/ports.ts'
import { type DomainEvent, type OutboxEvent, outboxEvents } from '../../core/values/event.ts'

/** Most events in one call of `PutEvents`. */
const ENTRIES_MAX = 10

type Outgoing = { sequenceNumber: string; event: OutboxEvent }

type ForwardParts = {
  /** The event of a stream record; undefined for records that are no new event. */
  eventOf(record: DynamoDBRecord): DomainEvent | undefined
  put: PutEvents
  log: Logger
}

const outgoingOf = (records: readonly DynamoDBRecord[], eventOf: ForwardParts['eventOf']): Outgoing[] =>
  records.flatMap((record) => {
    const event = eventOf(record)
    const sequenceNumber = record.dynamodb?.SequenceNumber ?? ''
    return event === undefined ? [] : outboxEvents(event).map((it) => ({ sequenceNumber, event: it }))
  })

/**
 * Puts the events of the table's stream on the bus, each with its notification: in order, and at least once. Lambda sends again from the first record that is named in
 * the answer.
 */
export const forwardEvents = async (
  records: readonly DynamoDBRecord[],
  { eventOf, put, log }: ForwardParts,
): Promise<DynamoDBBatchResponse> => {
  const outgoing = outgoingOf(records, eventOf)
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
