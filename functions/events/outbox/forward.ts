import { unmarshall } from '@aws-sdk/util-dynamodb'
import type { DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda'
import type { DomainEvent } from '../../domain/event.ts'
import type { Logger } from '../../runtime/ports.ts'
import { eventItem } from '../../store/dynamodb/event.schema.ts'
import { parseItem } from '../../store/dynamodb/parse-item.ts'
import { type EntityEvent, entityEvent } from './entity-event.ts'

/** Most events in one call of `PutEvents`. */
const ENTRIES_MAX = 10

/** How many of the events, from the first on, are on the bus. Fewer than all: the next one was not taken. */
export type PutEvents = (events: readonly EntityEvent[]) => Promise<number>

type Outgoing = { sequenceNumber: string; event: EntityEvent }

/** The event of a stream record; undefined for records that are no new event. */
const eventOf = ({ eventName, dynamodb }: DynamoDBRecord): DomainEvent | undefined => {
  const image = dynamodb?.NewImage
  if (eventName !== 'INSERT' || image === undefined || !dynamodb?.Keys?.sk?.S?.startsWith('EVENT#')) return undefined
  return parseItem(eventItem, unmarshall(image as Parameters<typeof unmarshall>[0])).event
}

const outgoingOf = (records: readonly DynamoDBRecord[]): Outgoing[] =>
  records.flatMap((record) => {
    const event = eventOf(record)
    return event === undefined
      ? []
      : [{ sequenceNumber: record.dynamodb?.SequenceNumber ?? '', event: entityEvent(event) }]
  })

/**
 * Puts the events of the table's stream on the bus: in order, and at least once. Lambda sends again from the first record that is named in
 * the answer.
 */
export const forwardEvents = async (
  records: readonly DynamoDBRecord[],
  { put, log }: { put: PutEvents; log: Logger },
): Promise<DynamoDBBatchResponse> => {
  const outgoing = outgoingOf(records)
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
