import * as z from 'zod'
import { type SweepPart, WHOLE_SWEEP } from '../../core/values/workers.ts'
import type { DueRenewal, OpenWork, WorkStore } from '../work.store.ts'
import { grantPartition, kindPartition, openPartition, renewalPartition } from './index-attributes.ts'
import { parseItem, text } from './item.schema.ts'
import { entityOfKey, type NamedKind, projectOfPartition } from './keys.ts'
import { type Item, mergeAscending, queryItems } from './read.ts'
import type { StoreContext } from './request.ts'
import { INDEX_SHARDS, type IndexDefinition, KINDS_INDEX, OPEN_WORK_INDEX, RENEWALS_INDEX } from './table-definition.ts'

const shards = Array.from({ length: INDEX_SHARDS }, (_, shard) => shard)

/** Entries of one partition of an index, rising by its sort key; up to `until` (inclusive) when given. */
const entries = (
  context: StoreContext,
  { name, partitionKey, sortKey }: IndexDefinition,
  { partition, until }: { partition: string; until?: string },
): AsyncGenerator<Item> =>
  queryItems(context, {
    IndexName: name,
    KeyConditionExpression: `#${partitionKey} = :partition${until === undefined ? '' : ` AND #${sortKey} <= :until`}`,
    ExpressionAttributeValues: { ':partition': partition, ...(until === undefined ? {} : { ':until': until }) },
  })

/** The entity that an index entry stands for. Indexes hold entities only, so another key is corrupt. */
const entityOf = (item: Item) => {
  const key = parseItem(z.object({ pk: text, sk: text.regex(/^(CLUSTER|FEDERATION|MEMBER)#/) }), item)
  const entity = entityOfKey(key)
  if (entity === undefined) throw new Error(`no entity: ${key.sk}`)
  return entity
}

async function* open(context: StoreContext): AsyncGenerator<OpenWork> {
  const sources = shards.map((shard) => entries(context, OPEN_WORK_INDEX, { partition: openPartition(shard) }))
  for await (const item of mergeAscending(sources, (entry) => String(entry.openSk))) {
    const { kind, projectId, ids } = entityOf(item)
    yield { kind, projectId, entityId: ids.join(':'), deadline: String(item.openSk) }
  }
}

/** Entries of the index over what is due at a time, of all shards, the longest due first. */
export const dueEntries = (
  context: StoreContext,
  partitionOf: (shard: number) => string,
  now: string,
): AsyncGenerator<Item> => {
  const sources = shards.map((shard) => entries(context, RENEWALS_INDEX, { partition: partitionOf(shard), until: now }))
  return mergeAscending(sources, (entry) => String(entry.renewSk))
}

async function* renewals(context: StoreContext, now: string): AsyncGenerator<DueRenewal> {
  for await (const item of dueEntries(context, renewalPartition, now)) {
    const { kind, projectId, ids } = entityOf(item)
    const [first = '', clusterId = ''] = ids
    yield kind === 'membership' ? { kind, projectId, federationId: first, clusterId } : { kind, projectId, id: first }
  }
}

async function* endedGrants(context: StoreContext, now: string) {
  for (const shard of shards) {
    const ended = entries(context, OPEN_WORK_INDEX, { partition: grantPartition(shard), until: now })
    for await (const { pk, sk } of ended) {
      const [, clusterId = '', id = ''] = String(sk).split('#')
      yield { projectId: projectOfPartition(String(pk)), clusterId, id }
    }
  }
}

async function* entitiesOf(context: StoreContext, kind: NamedKind, { index, of }: SweepPart = WHOLE_SWEEP) {
  for (const shard of shards) {
    if (shard % of !== index) continue
    for await (const item of entries(context, KINDS_INDEX, { partition: kindPartition(kind, shard) })) {
      const { projectId, ids } = entityOf(item)
      yield { projectId, id: ids.join('') }
    }
  }
}

/** The sparse indexes over what needs attention. Eventually consistent. */
export const dynamoWorkStore = (context: StoreContext): WorkStore => ({
  open: () => open(context),
  renewals: (now) => renewals(context, now),
  endedGrants: (now) => endedGrants(context, now),
  clusters: (part) => entitiesOf(context, 'CLUSTER', part),
  federations: (part) => entitiesOf(context, 'FEDERATION', part),
})
