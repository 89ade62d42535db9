import type { TablePorts } from '../../core/ports.ts'
import { deliveryOf, isFor } from '../../core/trigger/trigger.ts'
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
