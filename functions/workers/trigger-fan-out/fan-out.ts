import type { DynamoDBRecord } from 'aws-lambda'
import type { TablePorts } from '../../core/ports.ts'
import { noteForSelectors } from '../../core/selector/note.ts'
import { type DeliveryKey, deliveryOf, isFor } from '../../core/trigger/trigger.ts'
import type { DomainEvent } from '../../core/values/event.ts'

/** Notes a delivery to each trigger of the event's project that it is for; can run twice. They are sent by who sees them in the table's stream. */
export const fanOut = async (
  { stores, clock }: Pick<TablePorts, 'stores' | 'clock'>,
  event: DomainEvent,
): Promise<void> => {
  const triggers = await stores.triggers.listOf(event.projectId)
  for (const trigger of triggers) {
    if (!isFor(trigger, event)) continue
    await stores.commit([stores.triggers.addDelivery(deliveryOf(event, trigger, clock.now()))])
  }
}

type FanOutParts = {
  ports: Pick<TablePorts, 'stores' | 'clock'>
  /** The event that a record has put into a feed; undefined for other records. */
  eventOf(record: DynamoDBRecord): DomainEvent | undefined
  /** The delivery that a record has noted; undefined for other records. */
  deliveryOf(record: DynamoDBRecord): DeliveryKey | undefined
  /** Has deliveries tried at once. */
  wake(keys: readonly DeliveryKey[]): Promise<void>
  /** Has selectors followed at once. */
  wakeSelectors(federations: readonly { projectId: string; id: string }[]): Promise<void>
}

/** Notes deliveries for events of the feeds and what selectors have to follow, and has both done at once. A fault has the stream send all of it again. */
export const fanOutRecords = async (
  records: readonly DynamoDBRecord[],
  { ports, eventOf, deliveryOf: noted, wake, wakeSelectors }: FanOutParts,
): Promise<void> => {
  const federations = new Map<string, { projectId: string; id: string }>()
  for (const record of records) {
    const event = eventOf(record)
    if (event === undefined) continue
    await fanOut(ports, event)
    for (const key of await noteForSelectors(ports, event)) federations.set(key.id, key)
  }
  if (federations.size > 0) await wakeSelectors([...federations.values()])
  await wake(records.flatMap((record) => noted(record) ?? []))
}
