import { BatchGetCommand, GetCommand, QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb'
import type { Page, PageRequest } from '../page.ts'
import type { ItemKey } from './keys.ts'
import { asStoreError, attributeNames, fullJitter, type StoreContext, storeBusy } from './request.ts'

/** An item as stored, before it is parsed. */
export type Item = Record<string, unknown>

type Keyed = Pick<StoreContext, 'client' | 'tableName'>

/** Strongly consistent. */
export const getItem = async ({ client, tableName }: Keyed, key: ItemKey): Promise<Item | undefined> => {
  try {
    const { Item: item } = await client.send(new GetCommand({ TableName: tableName, Key: key, ConsistentRead: true }))
    return item
  } catch (error) {
    throw asStoreError(error)
  }
}

/** DynamoDB's limit for one batch. */
const BATCH_MAX = 100
const BATCH_RETRIES_MAX = 10

const getBatch = async (context: StoreContext, keys: ItemKey[]): Promise<Item[]> => {
  const found: Item[] = []
  let wanted: Record<string, unknown>[] = keys
  for (let retries = 0; wanted.length > 0; retries++) {
    if (retries > BATCH_RETRIES_MAX) throw storeBusy(new Error('keys of a batch stay unprocessed'))
    if (retries > 0) await context.pause(fullJitter(retries))
    const answer = await context.client
      .send(new BatchGetCommand({ RequestItems: { [context.tableName]: { Keys: wanted, ConsistentRead: true } } }))
      .catch((error: unknown) => {
        throw asStoreError(error)
      })
    found.push(...(answer.Responses?.[context.tableName] ?? []))
    wanted = answer.UnprocessedKeys?.[context.tableName]?.Keys ?? []
  }
  return found
}

/** Strongly consistent, in no order; absent items are left out. Keys must differ. */
export const getItems = async (context: StoreContext, keys: readonly ItemKey[]): Promise<Item[]> => {
  const batches = Array.from({ length: Math.ceil(keys.length / BATCH_MAX) }, (_, index) =>
    getBatch(context, keys.slice(index * BATCH_MAX, (index + 1) * BATCH_MAX)),
  )
  return (await Promise.all(batches)).flat()
}

export type ItemQuery = Pick<
  QueryCommandInput,
  | 'IndexName'
  | 'KeyConditionExpression'
  | 'ProjectionExpression'
  | 'ExpressionAttributeValues'
  | 'ExclusiveStartKey'
  | 'Limit'
  | 'ConsistentRead'
  | 'ScanIndexForward'
>

/** Items of a query in the order of the sort key, page by page (1 MB) as they are asked for. */
export async function* queryItems({ client, tableName }: Keyed, query: ItemQuery): AsyncGenerator<Item> {
  let start = query.ExclusiveStartKey
  do {
    const answer = await client
      .send(
        new QueryCommand({
          ...query,
          TableName: tableName,
          ExpressionAttributeNames: attributeNames(query.KeyConditionExpression, query.ProjectionExpression),
          ExclusiveStartKey: start,
        }),
      )
      .catch((error: unknown) => {
        throw asStoreError(error)
      })
    yield* answer.Items ?? []
    start = answer.LastEvaluatedKey
  } while (start !== undefined)
}

/** After every character that a sort key of ours has behind its prefix. */
const LAST_CHARACTER = '\u{10FFFF}'

/**
 * Sort keys of one partition that begin so. A range, since not every emulator means by `begins_with` what DynamoDB does: dynoxide takes it for
 * SQL's LIKE, to which case is nothing and `_` any character.
 */
const withPrefix = (
  pk: string,
  prefix: string,
): Pick<QueryCommandInput, 'KeyConditionExpression' | 'ExpressionAttributeValues'> => ({
  KeyConditionExpression: '#pk = :pk AND #sk BETWEEN :first AND :last',
  ExpressionAttributeValues: { ':pk': pk, ':first': prefix, ':last': `${prefix}${LAST_CHARACTER}` },
})

/** Items of one partition whose sort key begins so; strongly consistent. */
export const queryPrefix = (
  context: Keyed,
  {
    pk,
    prefix,
    ...query
  }: { pk: string; prefix: string } & Pick<ItemQuery, 'ExclusiveStartKey' | 'Limit' | 'ProjectionExpression'>,
): AsyncGenerator<Item> => queryItems(context, { ...withPrefix(pk, prefix), ConsistentRead: true, ...query })

/** How many items of one partition have a sort key that begins so; strongly consistent. */
export const countPrefix = async (
  { client, tableName }: Keyed,
  { pk, prefix }: { pk: string; prefix: string },
): Promise<number> => {
  let count = 0
  let start: QueryCommandInput['ExclusiveStartKey']
  do {
    const answer = await client
      .send(
        new QueryCommand({
          TableName: tableName,
          Select: 'COUNT',
          ...withPrefix(pk, prefix),
          ExpressionAttributeNames: { '#pk': 'pk', '#sk': 'sk' },
          ConsistentRead: true,
          ExclusiveStartKey: start,
        }),
      )
      .catch((error: unknown) => {
        throw asStoreError(error)
      })
    count += answer.Count ?? 0
    start = answer.LastEvaluatedKey
  } while (start !== undefined)
  return count
}

/** A page's size in JSON, bytes: Lambda answers at most 6 MB, and a view adds to what is stored. */
const PAGE_BYTES_MAX = 5_000_000

/** One page of a list: see `Page`. `parse` leaves an item out by answering undefined. */
export const takePage = async <T>(
  source: AsyncIterable<Item>,
  limit: number,
  parse: (item: Item) => T | undefined,
): Promise<Page<T>> => {
  const items: T[] = []
  let bytes = 0
  for await (const item of source) {
    const parsed = parse(item)
    if (parsed === undefined) continue
    bytes += Buffer.byteLength(JSON.stringify(parsed))
    if (items.length === limit || (items.length > 0 && bytes > PAGE_BYTES_MAX)) return { items, more: true }
    items.push(parsed)
  }
  return { items, more: false }
}

/** Items of one partition after the marker, one more than the page may have, since that says whether there is more. */
export const queryPage = (
  context: Keyed,
  { pk, prefix, page }: { pk: string; prefix: string; page: PageRequest },
): AsyncGenerator<Item> => {
  const start = page.marker === undefined ? {} : { ExclusiveStartKey: { pk, sk: `${prefix}${page.marker}` } }
  return queryPrefix(context, { pk, prefix, Limit: page.limit + 1, ...start })
}

/** One page of one partition's items. */
export const readPage = <T>(
  context: Keyed,
  { parse, ...list }: { pk: string; prefix: string; page: PageRequest; parse: (item: Item) => T | undefined },
): Promise<Page<T>> => takePage(queryPage(context, list), list.page.limit, parse)

/** Everything that a source gives. */
export const toArray = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = []
  for await (const value of source) all.push(value)
  return all
}

type Head<T> = { value: T; source: AsyncIterator<T> }

const pull = async <T>(source: AsyncIterator<T>): Promise<Head<T>[]> => {
  const step = await source.next()
  return step.done === true ? [] : [{ value: step.value, source }]
}

/**
 * Merges sources that each rise by `keyOf` into one that does; of equal ones those of the earlier source come first. Few sources: the
 * least head is looked for one by one.
 */
export async function* mergeAscending<T>(
  sources: readonly AsyncIterable<T>[],
  keyOf: (value: T) => string,
): AsyncGenerator<T> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]())
  const heads = (await Promise.all(iterators.map(pull))).flat()
  while (heads.length > 0) {
    const least = heads.reduce((a, b) => (keyOf(b.value) < keyOf(a.value) ? b : a))
    yield least.value
    heads.splice(heads.indexOf(least), 1, ...(await pull(least.source)))
  }
}
