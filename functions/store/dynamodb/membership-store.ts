import * as z from 'zod'
import { type Membership, membershipEntityId, operationOf } from '../../core/membership/membership.ts'
import type { MembershipStore } from '../federation.store.ts'
import { membershipFacts } from '../sealing/integrity.ts'
import { type Action, alreadyExists, asWrite, type Place, revisionConflict } from './action.ts'
import { membershipIndexAttributes, presentOnly } from './index-attributes.ts'
import { count, loan, objectRef, operation, parseItem, schemaVersion, text, textOrNull } from './item.schema.ts'
import { MEMBERSHIP_PREFIX, membershipKey, membershipPrefix, projectPartition } from './keys.ts'
import { operationPlaces } from './project-places.ts'
import { getItem, type Item, queryPrefix } from './read.ts'
import type { StoreContext } from './request.ts'

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
  loan: loan.exactOptional(),
  selectedBy: text.exactOptional(),
  cordon: z.object({ since: text, isApplied: z.boolean() }).exactOptional(),
  repair: text.exactOptional(),
  integrity: text.exactOptional(),
})

const rotation = operation(['rotate']).nullable()
const progress = { progress: text.exactOptional() }
const warning = { reason: text.exactOptional(), message: text.exactOptional() }
const fault = { reason: text, message: text }

/** A membership as stored: each state with just its attributes. Version 1 had no warning on a ready one, and no `workloads`; version 2 no `failures` of renewals and
 * no `integrity`, no `loan`, no `selectedBy`, no `cordon` and no `repair`. */
export const membershipItem = z
  .discriminatedUnion('state', [
    base.extend({ state: z.literal('Waiting') }),
    base.extend({ state: z.literal('Joining'), operation: operation(['join']), ...progress }),
    base.extend({ state: z.literal('Ready'), operation: rotation, ...warning }),
    base.extend({ state: z.literal('Degraded'), operation: rotation, ...fault }),
    base.extend({ state: z.literal('Leaving'), operation: operation(['unjoin']), ...progress }),
    base.extend({ state: z.literal('JoinFailed'), leftovers: z.array(objectRef), ...fault }),
    base.extend({ state: z.literal('UnjoinFailed'), ...fault }),
  ])
  .transform(({ schemaVersion: _, ...membership }) => membership)

const parse = (item: Item): Membership => parseItem(membershipItem, item)

const itemOf = (membership: Membership) => ({
  ...membershipKey(membership),
  schemaVersion: MEMBERSHIP_SCHEMA_VERSION,
  ...membership,
  ...presentOnly(membershipIndexAttributes(membership)),
})

const memberPlace = ({ projectId }: Membership, by: 1 | -1): Place => ({ of: 'members', projectId, by })

const insert = (membership: Membership): Action => ({
  type: 'put',
  item: itemOf(membership),
  condition: 'attribute_not_exists(#pk)',
  onConflict: () => alreadyExists('membership', membershipEntityId(membership)),
  bound: { projectId: membership.projectId, facts: membershipFacts(membership), read: null },
  places: [memberPlace(membership, 1), ...operationPlaces(membership.projectId, null, operationOf(membership))],
})

const asRead = (read: Membership, after: Membership | null) => ({
  condition: '#revision = :read',
  values: { ':read': read.revision },
  onConflict: () => revisionConflict('membership', membershipEntityId(read), read.revision),
  places: [
    ...(after === null ? [memberPlace(read, -1)] : []),
    ...operationPlaces(read.projectId, operationOf(read), after && operationOf(after)),
  ],
})

/** What takes the place of a membership is of the same cluster and federation, so that its `integrity` stays good, or bad. */
const follower = ({ revision, integrity }: Membership, { integrity: _, ...next }: Membership): Membership =>
  ({ ...next, revision: revision + 1, ...(integrity === undefined ? {} : { integrity }) }) as Membership

/** A join that is tried again may be by another grant, or by none any more. */
const movedLoan = (read: Membership, next: Membership): Pick<Action, 'bound'> =>
  read.loan?.projectId === next.loan?.projectId && read.loan?.grantId === next.loan?.grantId
    ? {}
    : {
        bound: {
          projectId: read.projectId,
          facts: membershipFacts(next),
          read: { facts: membershipFacts(read), integrity: read.integrity },
        },
      }

/** Memberships in DynamoDB. */
export const dynamoMembershipStore = (context: StoreContext): MembershipStore => ({
  get: async (key) => {
    const item = await getItem(context, membershipKey(key))
    return item === undefined ? undefined : parse(item)
  },
  listOf: async ({ projectId, id }) => {
    const memberships: Membership[] = []
    const items = queryPrefix(context, { pk: projectPartition(projectId), prefix: membershipPrefix(id) })
    for await (const item of items) memberships.push(parse(item))
    return memberships
  },
  federationsOf: async ({ projectId, id }) => {
    const federations: string[] = []
    const items = queryPrefix(context, { pk: projectPartition(projectId), prefix: MEMBERSHIP_PREFIX })
    // By the key: whoever writes the table can say anything in the item, but only the key makes it a member's.
    for await (const { sk } of items) {
      const [, federationId, clusterId] = String(sk).split('#')
      if (clusterId === id && federationId !== undefined) federations.push(federationId)
    }
    return federations
  },
  insert: (membership) => asWrite(insert(membership)),
  replace: (read, next) =>
    asWrite({ type: 'put', item: itemOf(follower(read, next)), ...asRead(read, next), ...movedLoan(read, next) }),
  remove: (read) => asWrite({ type: 'delete', key: membershipKey(read), ...asRead(read, null) }),
})
