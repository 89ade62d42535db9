import * as z from 'zod'
import { count, objectRef, operation, schemaVersion, text, textOrNull } from './item.schema.ts'

export const MEMBERSHIP_SCHEMA_VERSION = 3

const base = z.object({
  schemaVersion: schemaVersion(MEMBERSHIP_SCHEMA_VERSION),
  projectId: text,
  federationId: text,
  clusterId: text,
  memberName: text,
  revision: count,
  changeId: text,
  since: text,
  made: z.array(objectRef),
  credential: z
    .object({
      kind: z.enum(['token-secret', 'token-request']),
      expiresAt: textOrNull,
      renewAfter: textOrNull,
      failures: count.exactOptional(),
    })
    .nullable(),
  integrity: text.exactOptional(),
})

const rotation = operation(['rotate']).nullable()
const progress = { progress: text.exactOptional() }
const remark = { reason: text.exactOptional(), message: text.exactOptional() }
const fault = { reason: text, message: text }

/** A membership as stored: each state with just its attributes. Version 1 had no remark on a ready one, and no `workloads`; version 2 no `failures` of renewals and
 * no `integrity`. */
export const membershipItem = z
  .discriminatedUnion('state', [
    base.extend({ state: z.literal('Waiting') }),
    base.extend({ state: z.literal('Joining'), operation: operation(['join']), ...progress }),
    base.extend({ state: z.literal('Ready'), operation: rotation, ...remark }),
    base.extend({ state: z.literal('Degraded'), operation: rotation, ...fault }),
    base.extend({ state: z.literal('Leaving'), operation: operation(['unjoin']), ...progress }),
    base.extend({ state: z.literal('JoinFailed'), leftovers: z.array(objectRef), ...fault }),
    base.extend({ state: z.literal('UnjoinFailed'), ...fault }),
  ])
  .transform(({ schemaVersion: _, ...membership }) => membership)
