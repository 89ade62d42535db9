import * as z from 'zod'
import { DynamoError, invalid } from '../dynamo-error.ts'
import { type Path, project } from '../expressions/path.ts'
import { Placeholders } from '../expressions/placeholders.ts'
import { parseProjection } from '../expressions/projection.ts'
import { checkItem } from '../items/check-item.ts'
import { keyBytes, requireKey } from '../items/keys.ts'
import type { Item } from '../items/value.ts'
import { spaceOf, type Table } from '../storage/table.ts'
import { consumed, consumedOf, count, readUnits } from './capacity.ts'
import { type Context, capacity, expressions, item, operation, requireTable } from './operation.ts'

const projection = {
  ProjectionExpression: z.string().optional(),
  ExpressionAttributeNames: expressions.ExpressionAttributeNames,
}

type ProjectionInput = {
  ProjectionExpression?: string | undefined
  ExpressionAttributeNames?: Record<string, string> | undefined
}

/** Undefined: all of it. */
const projectionOf = (input: ProjectionInput): Path[] | undefined => {
  const placeholders = new Placeholders(input)
  const text = input.ProjectionExpression
  const paths = text === undefined ? undefined : parseProjection(text, placeholders)
  placeholders.requireAllUsed()
  return paths
}

/** The JSON of an item, and what it counts. */
type Found = { json: string; size: number }

const find = ({ storage }: Context, table: Table, key: Item, paths: Path[] | undefined): Found | undefined => {
  const found = storage.get(spaceOf(table), keyBytes(table.keys, key))
  if (found === undefined) return undefined
  const { item: json, size } = found
  return { json: paths ? JSON.stringify(project(JSON.parse(json) as Item, paths)) : json, size }
}

/** @throws DynamoError when it is no key of the table */
const keyOf = (table: Table, key: Item): Item => {
  const checked = checkItem(key)
  requireKey(table.keys, checked)
  return checked
}

const get = z.strictObject({
  TableName: z.string(),
  Key: item,
  ConsistentRead: z.boolean().optional(),
  ...projection,
  ...capacity,
})

export const getItem = operation('GetItem', get, (context, input) => {
  const table = requireTable(context, input.TableName)
  const found = find(context, table, keyOf(table, input.Key), projectionOf(input))
  const units = readUnits(found?.size ?? 0, input.ConsistentRead)
  const rest = JSON.stringify(consumed(input, table.name, units))
  if (found === undefined) return rest
  return `{"Item":${found.json}${rest === '{}' ? '}' : `,${rest.slice(1)}`}`
})

/** DynamoDB's limits for one batch. */
const KEYS_MAX = 100
const BATCH_BYTES_MAX = 16 * 1024 * 1024

const batchGet = z.strictObject({
  ...capacity,
  RequestItems: z.record(
    z.string(),
    z.strictObject({ Keys: z.array(item), ConsistentRead: z.boolean().optional(), ...projection }),
  ),
})

type BatchInput = z.infer<typeof batchGet>
type Wanted = { table: Table; key: Item; given: Item; paths: Path[] | undefined; consistent: boolean | undefined }

const wantedOf = (context: Context, requests: BatchInput['RequestItems']): Wanted[] =>
  Object.entries(requests).flatMap(([name, request]) => {
    const table = requireTable(context, name)
    const paths = projectionOf(request)
    return request.Keys.map((given) => {
      const key = keyOf(table, given)
      return { table, key, given, paths, consistent: request.ConsistentRead }
    })
  })

const requireSound = (wanted: readonly Wanted[]): void => {
  if (wanted.length === 0) {
    throw invalid(
      "1 validation error detected: Value '{}' at 'requestItems' failed to satisfy constraint: Member must have length greater than or equal to 1",
    )
  }
  if (wanted.length > KEYS_MAX) throw invalid('Too many items requested for the BatchGetItem call')
  const keys = wanted.map(({ table, key }) => {
    const { hash, sort } = keyBytes(table.keys, key)
    return `${table.id} ${hash.toString('hex')} ${sort.toString('hex')}`
  })
  if (new Set(keys).size < keys.length) throw invalid('Provided list of item keys contains duplicates')
}

export const batchGetItem = operation('BatchGetItem', batchGet, (context, input) => {
  const wanted = wantedOf(context, input.RequestItems)
  requireSound(wanted)
  const responses = new Map(Object.keys(input.RequestItems).map((name): [string, string[]] => [name, []]))
  const left: Record<string, BatchInput['RequestItems'][string]> = {}
  const units = new Map<string, number>()
  let bytes = 0
  for (const { table, key, given, paths, consistent } of wanted) {
    if (bytes > BATCH_BYTES_MAX) {
      const request = input.RequestItems[table.name] as BatchInput['RequestItems'][string]
      left[table.name] ??= { ...request, Keys: [] }
      left[table.name]?.Keys.push(given)
      continue
    }
    const found = find(context, table, key, paths)
    bytes += found?.size ?? 0
    count(units, table.name, readUnits(found?.size ?? 0, consistent))
    if (found) responses.get(table.name)?.push(found.json)
  }
  const lists = [...responses].map(([name, items]) => `${JSON.stringify(name)}:[${items.join(',')}]`)
  const rest = JSON.stringify({ UnprocessedKeys: left, ...consumedOf(input, units) })
  return `{"Responses":{${lists.join(',')}},${rest.slice(1)}`
})

/** No operation of that name, or none that fedplane asks for. */
export const unknownOperation = (name: string): DynamoError =>
  new DynamoError('UnknownOperationException', `${name} is no operation of fedplane's embedded database.`)
