import type { Federation, FederationUpdate } from '../../core/federation/federation.ts'
import { ReservationTaken, RevisionConflict } from '../errors.ts'
import type { FederationKey, FederationStore } from '../federation.store.ts'
import { FEDERATION_FACTS, federationFacts } from '../sealing/integrity.ts'
import type { Commit } from '../write.ts'
import { type Action, alreadyExists, asWrite, boundChange, integritySlot, revisionConflict } from './action.ts'
import { FEDERATION_SCHEMA_VERSION, federationItem } from './federation.schema.ts'
import { federationIndexAttributes, indexChanges, presentOnly } from './index-attributes.ts'
import { parseItem } from './item.schema.ts'
import { FEDERATION_PREFIX, federationKey, namespaceKey, projectPartition } from './keys.ts'
import { claim, findIdsByName, putName, release, removeName } from './name-index.ts'
import { operationPlaces } from './project-places.ts'
import { getItem, type Item, readPage } from './read.ts'
import type { StoreContext } from './request.ts'
import { removeSelector } from './selector-store.ts'
import { type AttributeChanges, observe, updateExpression } from './updates.ts'

const parse = (item: Item): Federation => parseItem(federationItem, item)

type MemberIds = { add?: readonly string[]; remove?: readonly string[] }

const stringSet = (members: readonly string[]): Set<string> | undefined =>
  members.length === 0 ? undefined : new Set(members)

const insert = (federation: Federation): Action[] => [
  {
    type: 'put',
    item: {
      ...federationKey(federation),
      schemaVersion: FEDERATION_SCHEMA_VERSION,
      ...federation,
      memberIds: stringSet(federation.memberIds),
      ...presentOnly(federationIndexAttributes(federation)),
    },
    condition: 'attribute_not_exists(#pk)',
    onConflict: () => alreadyExists('federation', federation.id),
    bound: { projectId: federation.projectId, facts: federationFacts(federation), read: null },
    places: operationPlaces(federation.projectId, null, federation.operation),
  },
  { ...putName('FEDERATION', federation), places: [{ of: 'federations', projectId: federation.projectId, by: 1 }] },
]

/** How the set of member ids changes, with what must hold beside the revision. */
type SetChange = AttributeChanges & { condition?: string; values?: Record<string, unknown> }

/**
 * One expression can't add to and take from one set. So a change that does both puts a new set in place, and demands that the one
 * read is still there: `removeMemberId` changes it without a revision.
 */
const changeMemberIds = (read: Federation, { add = [], remove = [] }: MemberIds): SetChange => {
  if (remove.length === 0) return { add: { memberIds: add } }
  if (add.length === 0) return { take: { memberIds: remove } }
  const removed = new Set(remove)
  const next = stringSet([...new Set([...read.memberIds, ...add])].filter((id) => !removed.has(id)))
  const before = stringSet(read.memberIds)
  return {
    ...(next === undefined ? { remove: ['memberIds'] } : { set: { memberIds: next } }),
    ...(before === undefined
      ? { condition: ' AND attribute_not_exists(#memberIds)' }
      : { condition: ' AND #memberIds = :memberIdsRead', values: { ':memberIdsRead': before } }),
  }
}

const change = (read: Federation, fields: FederationUpdate, memberIds: MemberIds): Action => {
  const bound = boundChange({ factsOf: federationFacts, fields: FEDERATION_FACTS }, read, fields)
  const index = indexChanges(federationIndexAttributes({ ...read, ...fields }))
  const members = changeMemberIds(read, memberIds)
  const { text, values } = updateExpression({
    ...members,
    set: { ...fields, ...integritySlot(bound), revision: read.revision + 1, ...index.set, ...members.set },
    remove: [...index.remove, ...(members.remove ?? [])],
  })
  return {
    type: 'update',
    key: federationKey(read),
    update: text,
    condition: `#revision = :read${members.condition ?? ''}`,
    values: { ...values, ...members.values, ':read': read.revision },
    onConflict: () => revisionConflict('federation', read.id, read.revision),
    ...bound,
    places: operationPlaces(
      read.projectId,
      read.operation,
      fields.operation === undefined ? read.operation : fields.operation,
    ),
  }
}

const removeMemberId = (key: FederationKey, clusterId: string): Action => {
  const { text, values } = updateExpression({ take: { memberIds: [clusterId] } })
  return {
    type: 'update',
    key: federationKey(key),
    update: text,
    condition: 'attribute_exists(#pk)',
    values,
    onConflict: () => new RevisionConflict(`The federation ${key.id} is gone.`),
    optional: true,
  }
}

const remove = (read: Federation): Action[] => [
  {
    type: 'delete',
    key: federationKey(read),
    condition: '#revision = :read',
    values: { ':read': read.revision },
    onConflict: () => revisionConflict('federation', read.id, read.revision),
    places: operationPlaces(read.projectId, read.operation, null),
  },
  { ...removeName('FEDERATION', read), places: [{ of: 'federations', projectId: read.projectId, by: -1 }] },
  ...(read.memberSelector ? [removeSelector(read)] : []),
]

const namespaceTaken = (namespace: string): ReservationTaken =>
  new ReservationTaken(
    `The namespace ${namespace} of the host cluster is used by another federation; choose another.`,
    {
      details: { namespace },
    },
  )

/** Federations in DynamoDB. */
export const dynamoFederationStore = (context: StoreContext, commit: Commit): FederationStore => ({
  get: async (key) => {
    const item = await getItem(context, federationKey(key))
    return item === undefined ? undefined : parse(item)
  },
  findByName: (projectId, name) => findIdsByName(context, 'FEDERATION', { projectId, name }),
  list: (projectId, page) =>
    readPage(context, { pk: projectPartition(projectId), prefix: FEDERATION_PREFIX, page, parse }),
  insert: (federation) => asWrite(...insert(federation)),
  change: (read, fields, memberIds) => asWrite(change(read, fields, memberIds ?? {})),
  removeMemberId: (key, clusterId) => asWrite(removeMemberId(key, clusterId)),
  remove: (read) => asWrite(...remove(read)),
  observe: (key, observation) => observe(commit, federationKey(key), observation),
  claimNamespace: (host, namespace, federationId) =>
    asWrite(claim({ key: namespaceKey(host, namespace), owner: federationId }, () => namespaceTaken(namespace))),
  releaseNamespace: (host, namespace, federationId) =>
    asWrite(release({ key: namespaceKey(host, namespace), owner: federationId })),
})
