import type { DynamoDBRecord } from 'aws-lambda'
import type { ObserveKey } from '../../core/cluster/observe-request.ts'
import type { TablePorts } from '../../core/ports.ts'
import { noteForSelectors } from '../../core/selector/note.ts'
import { type DeliveryKey, deliveryOf, isFor } from '../../core/trigger/trigger.ts'
import type { DomainEvent } from '../../core/values/event.ts'

/** The event with its owner's name, which events of members lack. Of one that is gone it stays absent. */
const namedEvent = async ({ stores }: Pick<TablePorts, 'stores'>, event: DomainEvent): Promise<DomainEvent> => {
  const { owner, projectId } = event
  if (event.name !== undefined || owner.kind !== 'federation') return event
  const federation = await stores.federations.get({ projectId, id: owner.id })
  return federation === undefined ? event : { ...event, name: federation.name }
}

/** Notes a delivery to each trigger of the event's project that it is for; can run twice. They are sent by who sees them in the table's stream. */
export const fanOut = async (
  { stores, clock }: Pick<TablePorts, 'stores' | 'clock'>,
  event: DomainEvent,
): Promise<void> => {
  const triggers = await stores.triggers.listOf(event.projectId)
  if (triggers.length === 0) return
  const named = await namedEvent({ stores }, event)
  for (const trigger of triggers) {
    if (!isFor(trigger, named)) continue
    await stores.commit([stores.triggers.addDelivery(deliveryOf(named, trigger, clock.now()))])
  }
}

type FanOutParts = {
  ports: Pick<TablePorts, 'stores' | 'clock'>
  /** The event that a record has put into a feed; undefined for other records. */
  eventOf(record: DynamoDBRecord): DomainEvent | undefined
  /** The delivery that a record has noted; undefined for other records. */
  deliveryOf(record: DynamoDBRecord): DeliveryKey | undefined
  /** The cluster that a record has asked to observe; undefined for other records. */
  observeOf(record: DynamoDBRecord): ObserveKey | undefined
  /** Has deliveries tried at once. */
  wake(keys: readonly DeliveryKey[]): Promise<void>
  /** Has clusters observed at once. */
  observe(keys: readonly ObserveKey[]): Promise<void>
  /** Has selectors followed at once. */
  wakeSelectors(federations: readonly { projectId: string; id: string }[]): Promise<void>
}

/**
 * Notes deliveries for events of the feeds and what selectors have to follow, and has both done at once, and clusters observed. A fault has the stream send
 * all of it again.
 */
export const fanOutRecords = async (
  records: readonly DynamoDBRecord[],
  { ports, eventOf, deliveryOf: noted, observeOf, wake, observe, wakeSelectors }: FanOutParts,
): Promise<void> => {
  const federations = new Map<string, { projectId: string; id: string }>()
  for (const record of records) {
    const event = eventOf(record)
    if (event === undefined) continue
    await fanOut(ports, event)
    for (const key of await noteForSelectors(ports, event)) federations.set(key.id, key)
  }
  await observe(records.flatMap((record) => observeOf(record) ?? []))
  if (federations.size > 0) await wakeSelectors([...federations.values()])
  await wake(records.flatMap((record) => noted(record) ?? []))
}
