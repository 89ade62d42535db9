import type { DomainEvent } from './event.ts'

/** An event of the outbox in EventBridge's form. */
export type EntityEvent = { id: string; time: string; source: 'fedplane'; 'detail-type': string; detail: DomainEvent }

/** `detail-type` is `<owner's kind>.<action>.<outcome>`, for example `federation.join.success`. */
export const entityEvent = (event: DomainEvent): EntityEvent => ({
  id: event.id,
  time: event.time,
  source: 'fedplane',
  'detail-type': `${event.owner.kind}.${event.action}.${event.outcome}`,
  detail: event,
})
