import type { HealthStatus } from '../cluster/cluster.ts'
import type { IDENTITY_SOURCES } from './identity.ts'

/**
 * Whose history it belongs to. Membership events belong to the federation and name the cluster. Those of a project are about what has no history of its
 * own: templates, quotas, triggers, hooks.
 */
export type EventOwner = { kind: 'cluster' | 'federation' | 'project'; id: string }

/** What a rule is asked about; without `id` what is not there yet, or anything of the project. */
export type AuditedSide = { id?: string; projectId: string }

/** A decision of the policy that permitted something. Of a rule of joins it has both sides. */
export type AuditedDecision = {
  rule: string
  /** Ids of the policies that permit it. */
  policies: readonly string[]
  federation?: AuditedSide
  cluster?: AuditedSide
  resource?: AuditedSide
  /** By which a cluster of another project is used. */
  grantId?: string
}

/** By whose word and which decisions a change was made. For operators: on the bus and in the log, and in no answer. */
export type Audit = {
  requestId: string
  /** Who vouched for the caller. */
  source: (typeof IDENTITY_SOURCES)[number]
  decisions: readonly AuditedDecision[]
  /** How many more there are. */
  omitted?: number
}

/**
 * Something that happened to an entity: written in the same transaction as the status (outbox), read at `/events`, forwarded to
 * the event bus. Names and outcomes after Magnum's CADF notifications (magnum-rest.md 9.5).
 */
export type DomainEvent = {
  /** UUIDv7: time-ordered within an owner. */
  id: string
  projectId: string
  owner: EventOwner
  /** The member's cluster; null when the event is about the owner itself. */
  clusterId: string | null
  action: (typeof EVENT_ACTIONS)[number]
  outcome: (typeof OUTCOMES)[number]
  /** Revision of the owner, or of the membership when `clusterId` is set: rises within it. */
  sequence: number
  /** CamelCase constant. */
  reason: string
  message: string
  /** ISO-8601 UTC. */
  time: string
  /** The owner's; absent in a member's event, and in those of releases that did not write it. */
  name?: string
  /** Who asked for it, when somebody did: what goes on later has nobody. */
  initiator?: { userId: string; projectId: string }
  /** False: tells of something that begins and ends no change, so it is nothing to notify of. */
  notify?: false
  /**
   * Of a change of health, whose type is `cluster.health.changed`: from what to what; null: nothing was known. The release before knows no such
   * action, reads this one as an update, and leaves this out.
   */
  health?: { before: HealthStatus | null; after: HealthStatus }
  /** Of a cluster in whose place another one answers, whose type is `cluster.quarantined`, or does no longer: `cluster.released`. */
  quarantined?: boolean
  /** In what a request begins or does at once. */
  audit?: Audit
}

/** Reason of a membership's event that is the beginning of a change of the federation, asked for by somebody. */
const REQUESTED = 'Requested'

const ACTIONS = ['create', 'update', 'delete'] as const
type Action = (typeof ACTIONS)[number]

/** A resource as pyCADF writes it. */
type Resource = { id: string; typeURI: string }

/** A CADF event as Magnum's conductor makes it for clusters (magnum-rest.md 9.5), and likewise for federations. */
type CadfEvent = {
  typeURI: 'http://schemas.dmtf.org/cloud/audit/1.0/event'
  eventType: 'activity'
  id: string
  /** `2026-11-28T10:00:00.000000+0000`, pyCADF's format. */
  eventTime: string
  action: Action
  outcome: DomainEvent['outcome']
  reason: { reasonType: 'fedplane'; reasonCode: string }
  observer: Resource
  initiator: Resource & { user_id?: string; project_id: string }
  target: Resource & {
    name?: string
    attachments: readonly {
      typeURI: string
      name: `${'cluster' | 'federation'}_data`
      content: { status: string; status_reason: string; project_id: string; updated_at: string }
    }[]
  }
}

/** A notification in the words of oslo.messaging: a bridge to a message queue of OpenStack can pass it on as it is. */
export type NotificationDetail = {
  message_id: string
  publisher_id: 'container-infra.fedplane'
  event_type: `magnum.${'cluster' | 'federation'}.${Action}`
  priority: 'INFO' | 'ERROR'
  payload: CadfEvent
  /** `2026-11-28 10:00:00.000000`, UTC. */
  timestamp: string
}

/** A notification in EventBridge's form; `detail-type` is its event type. */
type Notification = {
  id: string
  time: string
  source: 'fedplane'
  'detail-type': NotificationDetail['event_type']
  detail: NotificationDetail
}

const isAction = (action: DomainEvent['action']): action is Action => ACTIONS.some((known) => known === action)

/**
 * What an event is to Magnum's listeners; undefined when it is nothing to them: they are informed of changes of the status, so not of health, of
 * renewals and of the single members of a change. A change of one member only is begun by that member's event.
 */
const actionOf = (event: DomainEvent): Action | undefined => {
  if (event.notify === false) return undefined
  if (event.clusterId === null) return isAction(event.action) ? event.action : undefined
  const begins = event.outcome === 'pending' && event.reason === REQUESTED
  return begins && (event.action === 'join' || event.action === 'unjoin') ? 'update' : undefined
}

const STATUS_OF = { pending: 'IN_PROGRESS', success: 'COMPLETE', failure: 'FAILED' } as const

/** ISO-8601 of the store (`2026-11-28T10:00:00.000Z`) with Python's microseconds. */
const microseconds = (time: string): string => time.replace(/(?:\.(\d{3}))?Z$/, (_, ms = '000') => `.${ms}000`)

/** Who asked; what fedplane does by itself, or goes on with later, is its own, as in Magnum. */
const initiatorOf = ({ initiator, projectId }: DomainEvent): CadfEvent['initiator'] => ({
  id: initiator?.userId ?? 'fedplane',
  typeURI: 'service/security/account/user',
  ...(initiator === undefined ? {} : { user_id: initiator.userId }),
  project_id: initiator?.projectId ?? projectId,
})

const targetOf = (event: DomainEvent, kind: 'cluster' | 'federation', status: string): CadfEvent['target'] => {
  const typeURI = `service/magnum/${kind}`
  return {
    id: event.owner.id,
    typeURI,
    ...(event.name === undefined ? {} : { name: event.name }),
    attachments: [
      {
        typeURI,
        name: `${kind}_data`,
        content: {
          status,
          status_reason: event.message,
          project_id: event.projectId,
          updated_at: event.time,
        },
      },
    ],
  }
}

/**
 * The notification of an event (design section 8): `pending` when work begins, `success` or `failure` when it ends; undefined for events that
 * begin and end nothing.
 */
export const notificationOf = (event: DomainEvent): Notification | undefined => {
  const action = actionOf(event)
  const { id, time, outcome, reason } = event
  const { kind } = event.owner
  if (action === undefined || kind === 'project') return undefined
  const typeURI = `service/magnum/${kind}`
  const eventType = `magnum.${kind}.${action}` as const
  const at = microseconds(time)
  const detail: NotificationDetail = {
    message_id: id,
    publisher_id: 'container-infra.fedplane',
    event_type: eventType,
    priority: outcome === 'failure' ? 'ERROR' : 'INFO',
    payload: {
      typeURI: 'http://schemas.dmtf.org/cloud/audit/1.0/event',
      eventType: 'activity',
      id,
      eventTime: `${at}+0000`,
      action,
      outcome,
      reason: { reasonType: 'fedplane', reasonCode: reason },
      observer: { id: 'fedplane', typeURI },
      initiator: initiatorOf(event),
      target: targetOf(event, kind, `${action.toUpperCase()}_${STATUS_OF[outcome]}`),
    },
    timestamp: at.replace('T', ' '),
  }
  return { id, time, source: 'fedplane', 'detail-type': eventType, detail }
}

type EntityEventType =
  | `${DomainEvent['owner']['kind']}.${DomainEvent['action']}.${DomainEvent['outcome']}`
  | (typeof OWN_TYPES)[number]

/** An event of the outbox in EventBridge's form. */
type EntityEvent = {
  id: string
  time: string
  source: 'fedplane'
  'detail-type': EntityEventType
  detail: DomainEvent
}

/** What the outbox puts on the bus. */
export type OutboxEvent = EntityEvent | Notification

const OWNERS = ['cluster', 'federation'] as const satisfies DomainEvent['owner']['kind'][]
const EVENT_ACTIONS = ['create', 'update', 'delete', 'join', 'unjoin', 'rotate', 'kubeconfig'] as const
const OUTCOMES = ['pending', 'success', 'failure'] as const

/** Types of events that are updates in a history. */
export const OWN_TYPES = ['cluster.health.changed', 'cluster.quarantined', 'cluster.released'] as const

/** Every type of event there is. */
export const EVENT_TYPES: readonly EntityEventType[] = [
  ...OWNERS.flatMap((owner) =>
    EVENT_ACTIONS.flatMap((action) => OUTCOMES.map((outcome): EntityEventType => `${owner}.${action}.${outcome}`)),
  ),
  ...OWN_TYPES,
  'project.update.success',
]

const typeOf = ({ owner, action, outcome, health, quarantined }: DomainEvent): EntityEventType => {
  if (quarantined !== undefined) return quarantined ? 'cluster.quarantined' : 'cluster.released'
  return health === undefined ? `${owner.kind}.${action}.${outcome}` : 'cluster.health.changed'
}

/** `detail-type` is `<owner's kind>.<action>.<outcome>`, for example `federation.join.success`; of a change of health `cluster.health.changed`, and so on. */
export const entityEvent = (event: DomainEvent): EntityEvent => ({
  id: event.id,
  time: event.time,
  source: 'fedplane',
  'detail-type': typeOf(event),
  detail: event,
})

/** All that an event is on the bus: itself, then its notification if it has one. */
export const outboxEvents = (event: DomainEvent): OutboxEvent[] => {
  const notification = notificationOf(event)
  return [entityEvent(event), ...(notification === undefined ? [] : [notification])]
}
