import * as z from 'zod'
import { DynamoError, invalid } from '../dynamo-error.ts'
import { applyUpdate } from '../expressions/apply-update.ts'
import { type Condition, parseCondition } from '../expressions/condition.ts'
import { holds } from '../expressions/evaluate.ts'
import type { Path } from '../expressions/path.ts'
import { Placeholders } from '../expressions/placeholders.ts'
import { parseUpdate, type Update } from '../expressions/update.ts'
import { checkItem } from '../items/check-item.ts'
import { attributesOf, belongsTo, type KeyBytes, keyBytes, requireKey, requireKeyIn } from '../items/keys.ts'
import { checkSize } from '../items/size.ts'
import { copyOf, emptyItem, type Item } from '../items/value.ts'
import { spaceOf, type Table } from '../storage/table.ts'
import { type Context, expressions, item, requireTable } from './operation.ts'

const conditional = {
  TableName: z.string(),
  ...expressions,
  ReturnValuesOnConditionCheckFailure: z.enum(['NONE', 'ALL_OLD']).optional(),
}

/** Members of the four kinds of writes, as requests of their own and in transactions. */
export const PUT = { ...conditional, Item: item, ConditionExpression: z.string().optional() }
export const DELETE = { ...conditional, Key: item, ConditionExpression: z.string().optional() }
export const UPDATE = { ...DELETE, UpdateExpression: z.string().optional() }
export const CHECK = { ...conditional, Key: item, ConditionExpression: z.string() }

export type WriteInput = z.infer<z.ZodObject<typeof conditional>> & {
  kind: 'put' | 'delete' | 'update' | 'check'
  Item?: Item
  Key?: Item
  ConditionExpression?: string | undefined
  UpdateExpression?: string | undefined
  /** Part of a transaction, which tells for each of its writes what is wrong with it. */
  isPart?: boolean
}

/** A write whose request is sound; whether it can be carried out depends on what is stored. */
export type WriteAction = {
  table: Table
  kind: WriteInput['kind']
  key: KeyBytes
  /** Of a put, bytes. */
  size: number
  /** Paths of an update. */
  paths: Path[]
  /** The item before and after. @throws DynamoError when the condition does not hold, or the update does not fit */
  evaluate(context: Context): { before: Item | undefined; after: Item | undefined }
}

const requireIndexed = (table: Table, next: Item): void => {
  for (const index of table.indexes) belongsTo(index, next)
}

const requireKeyKept = (table: Table, { paths }: Update): void => {
  const keys = new Set(attributesOf(table.keys).map(({ name }) => name))
  const changed = paths.find(([attribute]) => keys.has(attribute))
  if (changed === undefined) return
  throw invalid(
    `One or more parameter values were invalid: Cannot update attribute ${changed[0]}. This attribute is part of the key`,
  )
}

const updated = (table: Table, update: Update | undefined, before: Item | undefined, key: Item): Item => {
  const base = before ?? copyOf(key)
  if (update === undefined) return base
  requireKeyKept(table, update)
  const next = applyUpdate(base, update)
  requireIndexed(table, next)
  checkSize(next, 'Item size to update')
  return next
}

const conditionFailed = (before: Item | undefined, wanted: string | undefined): DynamoError =>
  new DynamoError(
    'ConditionalCheckFailedException',
    'The conditional request failed',
    before && wanted === 'ALL_OLD' ? { Item: before } : {},
  )

/** The item that a put stores, and its size. */
const putItem = (table: Table, input: WriteInput): { next: Item; size: number } => {
  const next = checkItem(input.Item ?? emptyItem())
  requireKeyIn(table.keys, next)
  if (!input.isPart) requireIndexed(table, next)
  return { next, size: checkSize(next, 'Item size') }
}

type Parsed = { condition: Condition | undefined; update: Update | undefined }

const parse = (input: WriteInput): Parsed => {
  const { ConditionExpression: conditionText, UpdateExpression: updateText } = input
  const placeholders = new Placeholders(input)
  const update = updateText === undefined ? undefined : parseUpdate(updateText, placeholders)
  const condition =
    conditionText === undefined ? undefined : parseCondition('ConditionExpression', conditionText, placeholders)
  placeholders.requireAllUsed()
  return { condition, update }
}

/** What a write leaves. */
const outcome = (
  table: Table,
  input: WriteInput,
  before: Item | undefined,
  parts: { put?: Item | undefined; update: Update | undefined; key: Item },
) => {
  if (parts.put) return parts.put
  if (input.kind === 'check') return before
  return input.kind === 'delete' ? undefined : updated(table, parts.update, before, parts.key)
}

/** @throws DynamoError when the request can't be right, whatever is stored */
export const writeAction = (context: Context, input: WriteInput): WriteAction => {
  const table = requireTable(context, input.TableName)
  const { condition, update } = parse(input)
  const put = input.kind === 'put' ? putItem(table, input) : undefined
  const keyItem = put ? put.next : checkItem(input.Key ?? emptyItem())
  if (!put) requireKey(table.keys, keyItem)
  const key = keyBytes(table.keys, keyItem)
  return {
    table,
    kind: input.kind,
    key,
    size: put?.size ?? 0,
    paths: update?.paths ?? [],
    evaluate: ({ storage }) => {
      const stored = storage.get(spaceOf(table), key)
      const before = stored && (JSON.parse(stored.item) as Item)
      if (put) requireIndexed(table, put.next)
      if (condition && !holds(condition, before ?? {})) {
        throw conditionFailed(before, input.ReturnValuesOnConditionCheckFailure)
      }
      return { before, after: outcome(table, input, before, { put: put?.next, update, key: keyItem }) }
    },
  }
}
