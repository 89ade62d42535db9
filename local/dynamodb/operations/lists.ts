import * as z from 'zod'
import { invalid } from '../dynamo-error.ts'
import { type Condition, parseCondition } from '../expressions/condition.ts'
import { holds } from '../expressions/evaluate.ts'
import { type KeyRange, parseKeyCondition } from '../expressions/key-condition.ts'
import { type Path, project } from '../expressions/path.ts'
import { Placeholders } from '../expressions/placeholders.ts'
import { parseProjection } from '../expressions/projection.ts'
import { checkItem } from '../items/check-item.ts'
import { attributesOf, type KeyAttribute, type KeySchema, keyBytes, pickKeys } from '../items/keys.ts'
import { type Item, own } from '../items/value.ts'
import type { Entry, Position } from '../storage/storage.ts'
import { type Index, indexSpaceOf, type Space, spaceOf, type Table } from '../storage/table.ts'
import { consumed, readUnits } from './capacity.ts'
import { type Context, capacity, expressions, item, operation, requireTable } from './operation.ts'

/** DynamoDB's limit for what one page goes through, bytes. */
const PAGE_BYTES_MAX = 1024 * 1024

const shared = {
  TableName: z.string(),
  IndexName: z.string().optional(),
  FilterExpression: z.string().optional(),
  ProjectionExpression: z.string().optional(),
  Select: z.enum(['COUNT']).optional(),
  Limit: z.int().min(1).optional(),
  ConsistentRead: z.boolean().optional(),
  ExclusiveStartKey: item.optional(),
  ...expressions,
  ...capacity,
}

const querySchema = z.strictObject({
  ...shared,
  KeyConditionExpression: z.string(),
  ScanIndexForward: z.boolean().optional(),
})
const scanSchema = z.strictObject(shared)

type ListInput = z.infer<typeof scanSchema>

/** What is gone through: a table, or one of its indexes. */
type Source = { table: Table; index: Index | undefined; space: Space; keys: KeySchema }

const sourceOf = (context: Context, input: ListInput): Source => {
  const table = requireTable(context, input.TableName)
  if (input.IndexName === undefined) return { table, index: undefined, space: spaceOf(table), keys: table.keys }
  const position = table.indexes.findIndex(({ name }) => name === input.IndexName)
  const index = table.indexes[position]
  if (index === undefined) throw invalid(`The table does not have the specified index: ${input.IndexName}`)
  if (input.ConsistentRead) throw invalid('Consistent reads are not supported on global secondary indexes')
  return { table, index, space: indexSpaceOf(table, position), keys: index.keys }
}

/** Attributes of the keys that a page ends with. */
const startAttributes = ({ table, index }: Source): KeyAttribute[] => {
  const own = attributesOf(table.keys)
  const more = index ? attributesOf(index.keys).filter(({ name }) => own.every((key) => key.name !== name)) : []
  return [...own, ...more]
}

const startOf = (source: Source, start: Item | undefined): Position | undefined => {
  if (start === undefined) return undefined
  const key = checkItem(start)
  const attributes = startAttributes(source)
  const fits = attributes.every(({ name, type }) => own(key, name)?.[type] !== undefined)
  if (!fits || Object.keys(key).length !== attributes.length) throw invalid('The provided starting key is invalid')
  const base = source.index && keyBytes(source.table.keys, key)
  return { key: keyBytes(source.keys, key), base }
}

/** What is shown of the items that are gone through. */
type View = { filter: Condition | undefined; paths: Path[] | undefined }

const viewOf = (input: ListInput, placeholders: Placeholders): View => {
  const { FilterExpression: filter, ProjectionExpression: projection } = input
  const view = {
    filter: filter === undefined ? undefined : parseCondition('FilterExpression', filter, placeholders),
    paths: projection === undefined ? undefined : parseProjection(projection, placeholders),
  }
  placeholders.requireAllUsed()
  return view
}

type Page = { items: string[]; scanned: number; bytes: number; last: string | undefined }

/** The JSON of what is shown of an item; undefined when the filter leaves it out. */
const show = ({ filter, paths }: View, text: string): string | undefined => {
  if (!filter && !paths) return text
  const found = JSON.parse(text) as Item
  if (filter && !holds(filter, found)) return undefined
  return paths ? JSON.stringify(project(found, paths)) : text
}

/** Goes through entries up to the limit, or to the one that does not fit into the page any more. */
const takePage = (entries: Iterable<Entry>, view: View, limit = Number.POSITIVE_INFINITY): Page => {
  const page: Page = { items: [], scanned: 0, bytes: 0, last: undefined }
  let last: string | undefined
  for (const { size, item: text } of entries) {
    if (page.bytes + size > PAGE_BYTES_MAX) return { ...page, last }
    page.scanned += 1
    page.bytes += size
    last = text
    const shown = show(view, text)
    if (shown !== undefined) page.items.push(shown)
    if (page.scanned === limit) return { ...page, last }
  }
  return page
}

const answer = (input: ListInput, source: Source, page: Page): string => {
  const { items, scanned, bytes, last } = page
  const rest = JSON.stringify({
    Count: items.length,
    ScannedCount: scanned,
    ...(last === undefined ? {} : { LastEvaluatedKey: pickKeys(JSON.parse(last) as Item, startAttributes(source)) }),
    ...consumed(input, input.TableName, readUnits(bytes, input.ConsistentRead)),
  })
  return input.Select === 'COUNT' ? rest : `{"Items":[${items.join(',')}],${rest.slice(1)}`
}

const requireWithin = ({ hash, low, high }: KeyRange, start: Position | undefined): void => {
  if (start === undefined) return
  if (!start.key.hash.equals(hash)) {
    throw invalid('The provided starting key is outside query boundaries based on provided conditions')
  }
  const isWithin = Buffer.compare(start.key.sort, low) >= 0 && (!high || Buffer.compare(start.key.sort, high) < 0)
  if (!isWithin) throw invalid('The provided starting key does not match the range key predicate')
}

export const query = operation('Query', querySchema, (context, input) => {
  const source = sourceOf(context, input)
  const placeholders = new Placeholders(input)
  const range = parseKeyCondition(input.KeyConditionExpression, placeholders, source.keys)
  const view = viewOf(input, placeholders)
  const after = startOf(source, input.ExclusiveStartKey)
  requireWithin(range, after)
  const backward = input.ScanIndexForward === false
  return answer(
    input,
    source,
    takePage(context.storage.query(source.space, range, { after, backward }), view, input.Limit),
  )
})

export const scan = operation('Scan', scanSchema, (context, input) => {
  const source = sourceOf(context, input)
  const view = viewOf(input, new Placeholders(input))
  const after = startOf(source, input.ExclusiveStartKey)
  return answer(input, source, takePage(context.storage.scan(source.space, after), view, input.Limit))
})
