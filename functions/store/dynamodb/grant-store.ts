import * as z from 'zod'
import { GRANT_ACTIONS, type Grant, type GrantUse, type Receiver } from '../../core/grant/grant.ts'
import { RevisionConflict } from '../errors.ts'
import type { GrantKey, GrantStore } from '../grant.store.ts'
import { grantFacts } from '../sealing/integrity.ts'
import { type Action, alreadyExists, asWrite, revisionConflict } from './action.ts'
import { grantIndexAttributes, indexChanges, presentOnly } from './index-attributes.ts'
import { count, parseItem, schemaVersion, text, textOrNull } from './item.schema.ts'
import { GRANT_PREFIX, grantKey, grantPrefix, projectPartition, RECEIVED_PREFIX, receivedKey } from './keys.ts'
import { getItem, getItems, type Item, queryPrefix, toArray } from './read.ts'
import type { StoreContext } from './request.ts'
import { updateExpression } from './updates.ts'

export const GRANT_SCHEMA_VERSION = 1

/** A use as a member of a string set. Only the project can hold any character, so it is last. */
const textOfUse = ({ side, federationId, since, projectId }: GrantUse): string =>
  [side, federationId, since, projectId].join('|')

const useText = z.string().transform((use, context): GrantUse => {
  const [, side, federationId = '', since = '', projectId = ''] =
    /^(host|member)\|([^|]+)\|([^|]+)\|(.*)$/s.exec(use) ?? []
  if (side === 'host' || side === 'member') return { side, federationId, since, projectId }
  context.addIssue('no use')
  return z.NEVER
})

export const grantItem = z
  .object({
    schemaVersion: schemaVersion(GRANT_SCHEMA_VERSION),
    id: text,
    projectId: text,
    clusterId: text,
    clusterName: text,
    userId: text,
    receiver: z.union([z.object({ projectId: text }), z.object({ federationId: text })]),
    actions: z.array(z.enum(GRANT_ACTIONS)),
    rights: z.enum(['view', 'edit', 'more']),
    expiresAt: textOrNull,
    revokedAt: textOrNull,
    createdAt: text,
    revision: count,
    uses: z
      .set(text)
      .optional()
      .transform((uses) => [...(uses ?? [])].sort())
      .pipe(z.array(useText)),
    integrity: text.exactOptional(),
  })
  .transform(({ schemaVersion: _, ...grant }) => grant)

const parse = (item: Item): Grant => parseItem(grantItem, item)

const insert = (grant: Grant): Action[] => [
  {
    type: 'put',
    item: {
      ...grantKey(grant),
      schemaVersion: GRANT_SCHEMA_VERSION,
      ...grant,
      uses: undefined,
      ...presentOnly(grantIndexAttributes(grant)),
    },
    condition: 'attribute_not_exists(#pk)',
    onConflict: () => alreadyExists('grant', grant.id),
    bound: { projectId: grant.projectId, facts: grantFacts(grant), read: null },
    places: [{ of: 'grants', projectId: grant.projectId, by: 1 }],
  },
  {
    type: 'put',
    item: { ...receivedKey(grant), projectId: grant.projectId },
    onConflict: () => alreadyExists('grant', grant.id),
  },
]

const conflictOf = ({ id, revision }: Grant) => revisionConflict('grant', id, revision)

const revoke = (read: Grant, revokedAt: string): Action => {
  const next = { ...read, revokedAt }
  const index = indexChanges(grantIndexAttributes(next))
  const { text: update, values } = updateExpression({
    set: { revokedAt, integrity: '', revision: read.revision + 1, ...index.set },
    remove: index.remove,
  })
  return {
    type: 'update',
    key: grantKey(read),
    update,
    condition: '#revision = :read',
    values: { ...values, ':read': read.revision },
    onConflict: () => conflictOf(read),
    bound: {
      projectId: read.projectId,
      facts: grantFacts(next),
      read: { facts: grantFacts(read), integrity: read.integrity },
    },
  }
}

const remove = (read: Grant): Action[] => [
  {
    type: 'delete',
    key: grantKey(read),
    ...(read.uses.length === 0
      ? { condition: '#revision = :read AND attribute_not_exists(#uses)', values: { ':read': read.revision } }
      : {
          condition: '#revision = :read AND #uses = :uses',
          values: { ':read': read.revision, ':uses': new Set(read.uses.map(textOfUse)) },
        }),
    onConflict: () => conflictOf(read),
    places: [{ of: 'grants', projectId: read.projectId, by: -1 }],
  },
  { type: 'delete', key: receivedKey(read), onConflict: () => conflictOf(read) },
]

const addUses = (read: Grant, uses: readonly GrantUse[]): Action => {
  const { text: update, values } = updateExpression({ add: { uses: uses.map(textOfUse) } })
  return {
    type: 'update',
    key: grantKey(read),
    update,
    condition: '#revision = :read',
    values: { ...values, ':read': read.revision },
    onConflict: () => conflictOf(read),
  }
}

const removeUses = (key: GrantKey, uses: readonly GrantUse[]): Action => {
  const { text: update, values } = updateExpression({ take: { uses: uses.map(textOfUse) } })
  return {
    type: 'update',
    key: grantKey(key),
    update,
    condition: 'attribute_exists(#pk)',
    values,
    onConflict: () => new RevisionConflict(`The grant ${key.id} is gone.`),
    optional: true,
  }
}

const isTo = (grant: Grant, receiver: Receiver): boolean =>
  'projectId' in receiver
    ? 'projectId' in grant.receiver && grant.receiver.projectId === receiver.projectId
    : 'federationId' in grant.receiver && grant.receiver.federationId === receiver.federationId

/** What the receiver has are hints: the grant itself says to whom it was given. */
const received = async (context: StoreContext, receiver: Receiver, clusterId?: string): Promise<Grant[]> => {
  const { pk } = receivedKey({ receiver, clusterId: '', id: '' })
  const prefix = clusterId === undefined ? RECEIVED_PREFIX : `${RECEIVED_PREFIX}${clusterId}#`
  const hints = await toArray(queryPrefix(context, { pk, prefix }))
  const keys = hints.map(({ sk, projectId }) => {
    const [, ofCluster = '', id = ''] = String(sk).split('#')
    return grantKey({ projectId: String(projectId), clusterId: ofCluster, id })
  })
  const grants = (await getItems(context, keys)).map(parse)
  return grants
    .filter((grant) => isTo(grant, receiver))
    .sort((one, other) => (`${one.clusterId}${one.id}` < `${other.clusterId}${other.id}` ? -1 : 1))
}

/** Grants in DynamoDB. */
export const dynamoGrantStore = (context: StoreContext): GrantStore => {
  const listed = async (projectId: string, prefix: string): Promise<Grant[]> =>
    (await toArray(queryPrefix(context, { pk: projectPartition(projectId), prefix }))).map(parse)
  return {
    get: async (key) => {
      const item = await getItem(context, grantKey(key))
      return item === undefined ? undefined : parse(item)
    },
    listOf: ({ projectId, id }) => listed(projectId, grantPrefix(id)),
    given: (projectId) => listed(projectId, GRANT_PREFIX),
    received: (receiver, clusterId) => received(context, receiver, clusterId),
    insert: (grant) => asWrite(...insert(grant)),
    revoke: (read, revokedAt) => asWrite(revoke(read, revokedAt)),
    remove: (read) => asWrite(...remove(read)),
    addUses: (read, uses) => asWrite(addUses(read, uses)),
    removeUses: (key, uses) => asWrite(removeUses(key, uses)),
  }
}
