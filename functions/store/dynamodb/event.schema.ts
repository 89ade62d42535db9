import * as z from 'zod'
import type { EventOwner } from '../../core/values/event.ts'
import { IDENTITY_SOURCES } from '../../core/values/identity.ts'
import { count, schemaVersion, text, textOrNull } from './item.schema.ts'

export const EVENT_SCHEMA_VERSION = 2

const health = z.enum(['HEALTHY', 'UNHEALTHY', 'UNKNOWN'])

const side = z.object({ id: text.exactOptional(), projectId: text })

const audit = z.object({
  requestId: text,
  source: z.enum(IDENTITY_SOURCES),
  decisions: z.array(
    z.object({
      rule: text,
      policies: z.array(text),
      federation: side.exactOptional(),
      cluster: side.exactOptional(),
      resource: side.exactOptional(),
      grantId: text.exactOptional(),
    }),
  ),
  omitted: count.exactOptional(),
})

const stored = z.object({
  schemaVersion: schemaVersion(EVENT_SCHEMA_VERSION),
  ttl: count,
  id: text,
  projectId: text,
  owner: z.object({ kind: z.enum(['cluster', 'federation']), id: text }),
  clusterId: textOrNull,
  action: z.enum(['create', 'update', 'delete', 'join', 'unjoin', 'rotate', 'kubeconfig']),
  outcome: z.enum(['pending', 'success', 'failure']),
  sequence: count,
  reason: text,
  message: text,
  time: text,
  name: text.exactOptional(),
  initiator: z.object({ userId: text, projectId: text }).exactOptional(),
  notify: z.literal(false).exactOptional(),
  health: z.object({ before: health.nullable(), after: health }).exactOptional(),
  quarantined: z.boolean().exactOptional(),
  audit: audit.exactOptional(),
  /** The owner is a project. The release before reads this one as an update of a cluster, and leaves this out. */
  ofProject: z.literal(true).exactOptional(),
})

type Stored = z.output<typeof stored>

const eventOf = ({ owner, ofProject, ...event }: Omit<Stored, 'ttl' | 'schemaVersion'>) => ({
  ...event,
  owner: ofProject ? { kind: 'project' as const, id: owner.id } : owner,
})

/** As it is stored, so that the release before can read it. */
export const storedOwner = ({ kind, id }: EventOwner): Pick<Stored, 'owner' | 'ofProject'> =>
  kind === 'project' ? { owner: { kind: 'cluster', id }, ofProject: true } : { owner: { kind, id } }

/** An event as stored, with its end of life in epoch seconds. */
export const eventItem = stored.transform(({ schemaVersion: _, ttl, ...event }) => ({ ttl, event: eventOf(event) }))

/** An event in its project's feed. */
export const feedItem = stored
  .extend({ position: text })
  .transform(({ schemaVersion: _, ttl, position, ...event }) => ({ ttl, position, event: eventOf(event) }))
