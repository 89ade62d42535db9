import type { DomainEvent } from './event.ts'
import { type Notification, notificationOf } from './notification.ts'

/** An event of the outbox in EventBridge's form. */
export type EntityEvent = {
  id: string
  time: string
  source: 'fedplane'
  'detail-type': `${DomainEvent['owner']['kind']}.${DomainEvent['action']}.${DomainEvent['outcome']}`
  detail: DomainEvent
}

/** What the outbox puts on the bus. */
export type OutboxEvent = EntityEvent | Notification

/** `detail-type` is `<owner's kind>.<action>.<outcome>`, for example `federation.join.success`. */
export const entityEvent = (event: DomainEvent): EntityEvent => ({
  id: event.id,
  time: event.time,
  source: 'fedplane',
  'detail-type': `${event.owner.kind}.${event.action}.${event.outcome}`,
  detail: event,
})

/** All that an event is on the bus: itself, then its notification if it has one. */
export const outboxEvents = (event: DomainEvent): OutboxEvent[] => {
  const notification = notificationOf(event)
  return [entityEvent(event), ...(notification === undefined ? [] : [notification])]
}
