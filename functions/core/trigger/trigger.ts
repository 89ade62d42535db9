import type { DomainEvent } from '../values/event.ts'
import { entityEvent } from '../values/event.ts'

/** Which events of those that match by type: all that are named must fit. */
export type TriggerFilter = {
  /** Uuid or name of the cluster or federation whose event it is. */
  owner?: string
  /** Uuid of the member's cluster. */
  clusterId?: string
  outcome?: DomainEvent['outcome']
}

/** What is called when something happens in a project. */
export type Trigger = {
  /** UUIDv7. */
  id: string
  projectId: string
  userId: string
  name: string
  /** Types of events, in which `*` stands for any text: `cluster.*`, `federation.join.failure`. */
  events: readonly string[]
  filter: TriggerFilter
  /** Gets each event by POST; or the ARN of a bus of EventBridge, which the operator allows, and which gets each as an event: `busOf`. */
  url: string
  /** Until then deliveries are signed with the former secret, too; null when there is none. ISO-8601. */
  formerSecretUntil: string | null
  /** When it was last tested; null before. ISO-8601. */
  testedAt: string | null
  revision: number
  createdAt: string
}

/** The ARN of the bus that a trigger's events are put on; undefined for one that posts. */
export const busOf = ({ url }: Pick<Trigger, 'url'>): string | undefined => (url.startsWith('arn:') ? url : undefined)

/** Buses that the triggers of a project may name; of every project where it is null. */
export type TriggerBus = { projectId: string | null; arn: string }

/** True when the operator allows it. */
export const isBusAllowed = (buses: readonly TriggerBus[] | undefined, projectId: string, arn: string): boolean =>
  buses?.some((bus) => bus.arn === arn && (bus.projectId ?? projectId) === projectId) ?? false

/** Puts an event on a bus. @returns why that was refused; undefined when it was taken. Never throws for what the other side does */
export type PutOnBus = (event: { bus: string; type: string; payload: string; at: Date }) => Promise<string | undefined>

/** What became of the last try. `status` is null when there was no answer. */
export type Attempt = { at: string; status: number | null; message: string }

/** An event on its way to a trigger's target. */
export type Delivery = {
  /** Id of the event; of a test and of a replay its own. */
  id: string
  /** Receivers know a repeated message by it (`webhook-id`): id of the event, also when it is replayed. */
  messageId: string
  projectId: string
  triggerId: string
  /** `dead`: given up after a day. */
  state: 'pending' | 'delivered' | 'dead'
  type: string
  /** The body, JSON. */
  payload: string
  attempts: number
  /** When it began. ISO-8601. */
  since: string
  /** When it is tried next, or when a try that goes on is given up; null unless pending. ISO-8601. */
  nextAt: string | null
  last: Attempt | null
  revision: number
}

export type TriggerKey = Pick<Trigger, 'projectId' | 'id'>
export type DeliveryKey = Pick<Delivery, 'projectId' | 'triggerId' | 'id'>

/** Whose the sealed secrets are that sign what a trigger sends, and which. */
export const signingKeyOf = ({ projectId, id }: TriggerKey, which: 'signing' | 'signing-former') => ({
  projectId,
  owner: `trigger/${id}`,
  purpose: which,
})

/** True when the text is what the pattern means; `*` is any text, nothing else is special. */
export const fitsPattern = (pattern: string, text: string): boolean => {
  const [head = '', ...rest] = pattern.split('*')
  if (rest.length === 0) return pattern === text
  if (!text.startsWith(head)) return false
  const last = rest.pop() ?? ''
  let at = head.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** True when the trigger is for this event. `event.name` has to be there: events of members lack it (`namedEvent`). */
export const isFor = ({ events, filter }: Pick<Trigger, 'events' | 'filter'>, event: DomainEvent): boolean => {
  const type = entityEvent(event)['detail-type']
  const { owner, clusterId, outcome } = filter
  return (
    events.some((pattern) => fitsPattern(pattern, type)) &&
    (owner === undefined || owner === event.owner.id || owner === event.name) &&
    (clusterId === undefined || clusterId === event.clusterId) &&
    (outcome === undefined || outcome === event.outcome)
  )
}

type CloudEvent = { id: string; type: string; time: string; subject: string; projectId: string; data: object }

/** CloudEvents 1.0 in structured JSON (CloudEvents specification, JSON event format 1.0.2). `subject` is the entity: `cluster/<uuid>`. */
export const cloudEvent = ({ id, type, time, subject, projectId, data }: CloudEvent): string =>
  JSON.stringify({
    specversion: '1.0',
    id,
    source: `/fedplane/projects/${encodeURIComponent(projectId)}`,
    type: `fedplane.${type}`,
    subject,
    time,
    datacontenttype: 'application/json',
    data,
  })

/** The delivery of an event to a trigger, due at once. */
export const deliveryOf = (event: DomainEvent, trigger: TriggerKey, now: Date): Delivery => {
  const { id, projectId, owner, clusterId, name, reason, message, sequence, time, health, quarantined } = event
  const type = entityEvent(event)['detail-type']
  const data = {
    owner: { kind: owner.kind, uuid: owner.id, name: name ?? null },
    cluster_id: clusterId,
    reason,
    message,
    sequence,
    ...(health === undefined ? {} : { health }),
    ...(quarantined === undefined ? {} : { quarantined }),
  }
  const payload = cloudEvent({ id, type, time, subject: `${owner.kind}/${owner.id}`, projectId, data })
  return newDelivery({ id, messageId: id, projectId, triggerId: trigger.id, type, payload }, now)
}

type NewDelivery = Pick<Delivery, 'id' | 'messageId' | 'projectId' | 'triggerId' | 'type' | 'payload'>

/** A delivery that nobody has tried yet. */
export const newDelivery = (what: NewDelivery, now: Date): Delivery => ({
  ...what,
  state: 'pending',
  attempts: 0,
  since: now.toISOString(),
  nextAt: now.toISOString(),
  last: null,
  revision: 1,
})
