import * as z from 'zod'
import type { PageRequest, Scope } from '../page.ts'
import { cloudNamePartition, kindPartition, namePartition, shardOf } from './index-attributes.ts'
import { parseItem, text } from './item.schema.ts'
import { type ItemKey, type NamedKind, projectOfPartition } from './keys.ts'
import { findIdsByName, NAME_MAX } from './name-index.ts'
import { getItems, type Item, type ItemQuery, mergeAscending, queryItems, toArray } from './read.ts'
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

/** Keys of the clusters that the cloud's events call so, in all projects. */
export const findByCloudName = (context: StoreContext, name: string): Promise<EntityKey[]> =>
  toArray(
    entriesOf(context, {
      KeyConditionExpression: '#kindPk = :partition',
      ExpressionAttributeValues: { ':partition': cloudNamePartition(name) },
    }),
  )

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

/** An entity of which we have the item, or only know where it is. */
type Candidate = { id: string; item: Item } | { id: string; key: EntityKey }

/** Foreign items that are read at once: three batches. More would be read in vain when the page is cut at 5 MB. */
const AHEAD_MAX = 300

async function* found(own: AsyncIterable<Item>): AsyncGenerator<Candidate> {
  for await (const item of own) yield { id: String(item.id), item }
}

async function* known(foreign: AsyncIterable<EntityKey>): AsyncGenerator<Candidate> {
  for await (const key of foreign) yield { id: key.id, key }
}

async function* distinct(candidates: AsyncIterable<Candidate>): AsyncGenerator<Candidate> {
  let last: string | undefined
  for await (const candidate of candidates) {
    if (candidate.id === last) continue
    last = candidate.id
    yield candidate
  }
}

/** Items of the candidates, in their order; those that are gone are left out. */
const read = async (
  context: StoreContext,
  candidates: readonly Candidate[],
  keyOf: (key: EntityKey) => ItemKey,
): Promise<Item[]> => {
  const keys = candidates.flatMap((candidate) => ('key' in candidate ? [keyOf(candidate.key)] : []))
  const items = new Map((await getItems(context, keys)).map((item) => [String(item.id), item]))
  return candidates.flatMap((candidate) => {
    const item = 'item' in candidate ? candidate.item : items.get(candidate.id)
    return item === undefined ? [] : [item]
  })
}

type Sources = {
  own: AsyncIterable<Item>
  /** Each rises by id. Of entities with one id, the own one is taken, else that of the earliest source. */
  foreign: readonly AsyncIterable<EntityKey>[]
  keyOf: (key: EntityKey) => ItemKey
  /** How many are wanted: nothing is read much further than that. */
  limit: number
}

/** Own items and those of other projects by their ids. Own ones cost no further read; others are read strongly, in batches. */
export async function* mergeItems(
  context: StoreContext,
  { own, foreign, keyOf, limit }: Sources,
): AsyncGenerator<Item> {
  const candidates = distinct(mergeAscending([found(own), ...foreign.map(known)], ({ id }) => id))
  let ahead: Candidate[] = []
  for await (const candidate of candidates) {
    ahead.push(candidate)
    const isAllHere = ahead.length === 1 && 'item' in candidate
    if (!isAllHere && ahead.length <= Math.min(limit, AHEAD_MAX)) continue
    yield* await read(context, ahead, keyOf)
    ahead = []
  }
  yield* await read(context, ahead, keyOf)
}
