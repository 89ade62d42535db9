import * as z from 'zod'
import { dueAt, type Hook, type ObserveKey, type ObserveRequest } from '../../core/cluster/observe-request.ts'
import { ClusterNotUsable } from '../errors.ts'
import type { HookStore, ObserveRequestStore } from '../observe.store.ts'
import { type Action, alreadyExists, asWrite, revisionConflict } from './action.ts'
import { observeIndexAttributes, observePartition, presentOnly } from './index-attributes.ts'
import { count, parseItem, schemaVersion, text, textOrNull } from './item.schema.ts'
import { clusterKey, hookKey, hookPrefix, hookTokenKey, observeKey, observeKeyParts, projectPartition } from './keys.ts'
import { getItem, queryPrefix, toArray } from './read.ts'
import type { StoreContext } from './request.ts'
import { dueEntries } from './work-store.ts'

export const OBSERVE_REQUEST_SCHEMA_VERSION = 1

export const observeRequestItem = z
  .object({
    schemaVersion: schemaVersion(OBSERVE_REQUEST_SCHEMA_VERSION),
    projectId: text,
    clusterId: text,
    askedAt: textOrNull,
    begunAt: textOrNull,
    leaseUntil: textOrNull,
    endedAt: textOrNull,
    spentUntil: text,
    watchUntil: text.exactOptional(),
    againAt: text.exactOptional(),
    revision: count,
  })
  .transform(({ schemaVersion: _, ...request }) => request)

export const HOOK_SCHEMA_VERSION = 1

const target = z.object({
  schemaVersion: schemaVersion(HOOK_SCHEMA_VERSION),
  projectId: text,
  clusterId: text,
  id: text,
})

export const hookItem = target
  .extend({ userId: text, name: text, digest: text, createdAt: text })
  .transform(({ schemaVersion: _, ...hook }) => hook)

/** Found by the digest of a token, whichever project it is of. */
export const hookTokenItem = target.transform(({ schemaVersion: _, ...hook }) => hook)

const store = (read: ObserveRequest | undefined, next: ObserveRequest): Action => ({
  type: 'put',
  item: {
    ...observeKey(next),
    schemaVersion: OBSERVE_REQUEST_SCHEMA_VERSION,
    ...next,
    ...presentOnly(observeIndexAttributes(next.clusterId, dueAt(next))),
  },
  ...(read === undefined
    ? { condition: 'attribute_not_exists(#pk)' }
    : { condition: '#revision = :read', values: { ':read': read.revision } }),
  onConflict: () => revisionConflict('observe request', next.clusterId, next.revision),
})

/** A request of a cluster that is gone would stay for ever. */
const clusterThere = ({ projectId, clusterId }: ObserveKey): Action => ({
  type: 'check',
  key: clusterKey({ projectId, id: clusterId }),
  condition: 'attribute_exists(#pk)',
  onConflict: () => new ClusterNotUsable(`The cluster ${clusterId} is gone.`),
})

const absentIsFine = (key: { pk: string; sk: string }, id: string): Action => ({
  type: 'delete',
  key,
  condition: 'attribute_exists(#pk)',
  optional: true,
  onConflict: () => revisionConflict('hook', id, 1),
})

async function* due(context: StoreContext, now: string): AsyncGenerator<ObserveKey> {
  for await (const item of dueEntries(context, observePartition, now)) yield observeKeyParts(item)
}

/** Requests to observe clusters, in DynamoDB. */
export const dynamoObserveRequestStore = (context: StoreContext): ObserveRequestStore => ({
  get: async (key) => {
    const item = await getItem(context, observeKey(key))
    return item === undefined ? undefined : parseItem(observeRequestItem, item)
  },
  ask: (read, next) => asWrite(store(read, next), clusterThere(next)),
  replace: (read, next) => asWrite(store(read, next)),
  remove: (key) => asWrite(absentIsFine(observeKey(key), key.clusterId)),
  due: (now) => due(context, now),
})

const insert = (hook: Hook): Action[] => {
  const { projectId, clusterId, id, digest } = hook
  const put = (item: ReturnType<typeof hookKey> & Record<string, unknown>): Action => ({
    type: 'put',
    item: { ...item, schemaVersion: HOOK_SCHEMA_VERSION },
    condition: 'attribute_not_exists(#pk)',
    onConflict: () => alreadyExists('hook', id),
  })
  return [put({ ...hookKey(hook), ...hook }), put({ ...hookTokenKey(digest), projectId, clusterId, id })]
}

/** Hooks in DynamoDB: an item beside the cluster, and one that the token's digest finds. */
export const dynamoHookStore = (context: StoreContext): HookStore => ({
  find: async (digest) => {
    const item = await getItem(context, hookTokenKey(digest))
    return item === undefined ? undefined : parseItem(hookTokenItem, item)
  },
  listOf: async ({ projectId, clusterId }) => {
    const query = { pk: projectPartition(projectId), prefix: hookPrefix(clusterId) }
    return (await toArray(queryPrefix(context, query))).map((item) => parseItem(hookItem, item))
  },
  insert: (hook) => asWrite(...insert(hook)),
  remove: (hook) => asWrite(absentIsFine(hookKey(hook), hook.id), absentIsFine(hookTokenKey(hook.digest), hook.id)),
})
