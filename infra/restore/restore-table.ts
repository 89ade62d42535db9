import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import {
  type AttributeValue,
  BatchGetItemCommand,
  BatchWriteItemCommand,
  type DynamoDBClient,
  paginateScan,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb'
import { TABLE_DEFINITION } from '../../functions/store/dynamodb/table-definition.ts'

type Item = Record<string, AttributeValue>

/** DynamoDB's limits for one call. */
const READS_MAX = 100
const WRITES_MAX = 25
/** Before what was not taken is sent again; doubles up to the second value. */
const AGAIN_MS = [50, 5_000] as const

export type RestoreOptions = {
  client: DynamoDBClient
  /** The table that AWS restored to a point in time. */
  from: string
  /** The live one. */
  to: string
  /** True: only counts what would be done. */
  check?: boolean
  tell?(line: string): void
}

/** What was done, or would be. */
export type RestoreReport = { same: number; written: number; deleted: number }

const { partitionKey, sortKey } = TABLE_DEFINITION
const keyOf = (item: Item): Item => ({
  [partitionKey]: item[partitionKey] as AttributeValue,
  [sortKey]: item[sortKey] as AttributeValue,
})
const textOf = (item: Item): string => `${item[partitionKey]?.S}\n${item[sortKey]?.S}`

const chunks = function* <T>(items: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size)
}

/** All items of a table by pages, as they are now. */
const pagesOf = async function* (client: DynamoDBClient, TableName: string): AsyncGenerator<Item[]> {
  for await (const { Items = [] } of paginateScan({ client }, { TableName, ConsistentRead: true })) yield Items
}

/** Sends until nothing is left that was not taken. */
const untilTaken = async <T>(first: T[], send: (rest: T[]) => Promise<T[]>): Promise<void> => {
  const [begin, longest] = AGAIN_MS
  for (let rest = first, wait: number = begin; rest.length > 0; wait = Math.min(2 * wait, longest)) {
    rest = await send(rest)
    if (rest.length > 0) await pause(wait)
  }
}

const write = async ({ client, to }: RestoreOptions, requests: WriteRequest[]): Promise<void> => {
  for (const chunk of chunks(requests, WRITES_MAX)) {
    await untilTaken(chunk, async (rest) => {
      const { UnprocessedItems = {} } = await client.send(new BatchWriteItemCommand({ RequestItems: { [to]: rest } }))
      return UnprocessedItems[to] ?? []
    })
  }
}

/** Those items of the live table that have these keys. */
const read = async ({ client, to }: RestoreOptions, keys: Item[]): Promise<Map<string, Item>> => {
  const found = new Map<string, Item>()
  for (const chunk of chunks(keys, READS_MAX)) {
    await untilTaken(chunk, async (Keys) => {
      const { Responses = {}, UnprocessedKeys = {} } = await client.send(
        new BatchGetItemCommand({ RequestItems: { [to]: { Keys, ConsistentRead: true } } }),
      )
      for (const item of Responses[to] ?? []) found.set(textOf(item), item)
      return UnprocessedKeys[to]?.Keys ?? []
    })
  }
  return found
}

/** Puts what differs. Keys of all items go into `kept`. */
const bringBack = async (options: RestoreOptions, report: RestoreReport, kept: Set<string>): Promise<void> => {
  for await (const items of pagesOf(options.client, options.from)) {
    const live = await read(options, items.map(keyOf))
    const differing = items.filter((item) => !isDeepStrictEqual(item, live.get(textOf(item))))
    for (const item of items) kept.add(textOf(item))
    report.same += items.length - differing.length
    report.written += differing.length
    if (!options.check)
      await write(
        options,
        differing.map((Item) => ({ PutRequest: { Item } })),
      )
    options.tell?.(`${report.same + report.written} items checked, ${report.written} of them differ`)
  }
}

/** Deletes what was not there then. */
const takeAway = async (options: RestoreOptions, report: RestoreReport, kept: ReadonlySet<string>): Promise<void> => {
  for await (const items of pagesOf(options.client, options.to)) {
    const extra = items.filter((item) => !kept.has(textOf(item)))
    report.deleted += extra.length
    if (!options.check)
      await write(
        options,
        extra.map((item) => ({ DeleteRequest: { Key: keyOf(item) } })),
      )
  }
}

/**
 * Makes the live table what it was at the point in time that another one was restored to: items that differ are put back, and those that
 * came later are deleted. The table itself stays, with its stream, indexes, protection and name. Nobody else may write meanwhile. Can be
 * repeated: what is the same already is left alone.
 *
 * @throws what the SDK throws
 */
export const restoreTable = async (options: RestoreOptions): Promise<RestoreReport> => {
  const report: RestoreReport = { same: 0, written: 0, deleted: 0 }
  const kept = new Set<string>()
  await bringBack(options, report, kept)
  await takeAway(options, report, kept)
  return report
}
