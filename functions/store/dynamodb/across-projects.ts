import * as z from 'zod'
import type { PageRequest, Scope } from '../page.ts'
import { kindPartition, namePartition, shardOf } from './index-attributes.ts'
import { parseItem, text } from './item.schema.ts'
import { type NamedKind, projectOfPartition } from './keys.ts'
import { findIdsByName, NAME_MAX } from './name-index.ts'
import { type Item, type ItemQuery, queryItems, toArray } from './read.ts'
import type { StoreContext } from './request.ts'
import { INDEX_SHARDS, KINDS_INDEX } from './table-definition.ts'

/** Where an entity is: all that an index says of it. */
export type EntityKey = { projectId: string; id: string }

const indexEntry = z.object({ pk: text, kindSk: text })

const keyOf = (entry: Item): EntityKey => {
  const { pk, kindSk } = parseItem(indexEntry, entry)
  return { projectId: projectOfPartition(pk), id: kindSk }
}

async function* entriesOf(context: StoreContext, query: ItemQuery): AsyncGenerator<EntityKey> {
  for await (const entry of queryItems(context, { IndexName: KINDS_INDEX.name, ...query })) yield keyOf(entry)
}

/**
 * Keys in the index but those of the project `without`. Filtered here: DynamoDB's documentation allows no key attributes in a filter
 * expression.
 */
async function* keysBut(context: StoreContext, without: string, query: ItemQuery): AsyncGenerator<EntityKey> {
  for await (const key of entriesOf(context, query)) if (key.projectId !== without) yield key
}

/** Keys of the entities with this id in any project, by project: more than one only where callers choose ids. */
export const locateKeys = async (context: StoreContext, kind: NamedKind, id: string): Promise<EntityKey[]> => {
  if (id === '') return []
  const keys = await toArray(
    entriesOf(context, {
      KeyConditionExpression: '#kindPk = :partition AND #kindSk = :id',
      ExpressionAttributeValues: { ':partition': kindPartition(kind, shardOf(id)), ':id': id },
    }),
  )
  return keys.sort((a, b) => (a.projectId < b.projectId ? -1 : 1))
}

/** Keys of the entities with this name in projects other than `without`, oldest first. */
const foreignNames = (
  context: StoreContext,
  kind: NamedKind,
  { without, name }: { without: string; name: string },
): Promise<EntityKey[]> =>
  toArray(
    keysBut(context, without, {
      KeyConditionExpression: '#kindPk = :partition',
      ExpressionAttributeValues: { ':partition': namePartition(kind, name) },
    }),
  )

/** Keys of the entities with this name, own ones first, each oldest first. Own ones strongly, others' eventually consistent. */
export const locateByName = async (
  context: StoreContext,
  kind: NamedKind,
  { reach: { projectId, allProjects }, name }: { reach: Scope; name: string },
): Promise<EntityKey[]> => {
  if (name.length > NAME_MAX) return []
  const [own, foreign] = await Promise.all([
    findIdsByName(context, kind, { projectId, name }),
    allProjects ? foreignNames(context, kind, { without: projectId, name }) : [],
  ])
  return [...own.map((id) => ({ projectId, id })), ...foreign]
}

/** Keys of all entities of a kind in projects other than `without`: one source for each shard, each rising by id after the marker. */
export const kindSources = (
  context: StoreContext,
  kind: NamedKind,
  { without, page }: { without: string; page: PageRequest },
): AsyncIterable<EntityKey>[] =>
  Array.from({ length: INDEX_SHARDS }, (_, shard) =>
    keysBut(context, without, {
      KeyConditionExpression: `#kindPk = :partition${page.marker === undefined ? '' : ' AND #kindSk > :marker'}`,
      ExpressionAttributeValues: {
        ':partition': kindPartition(kind, shard),
        ...(page.marker === undefined ? {} : { ':marker': page.marker }),
      },
      Limit: page.limit + 1,
    }),
  )
