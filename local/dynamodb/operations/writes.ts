import * as z from 'zod'
import { DynamoError, invalid } from '../dynamo-error.ts'
import { project } from '../expressions/path.ts'
import type { Item } from '../items/value.ts'
import { consumed, consumedOf, count } from './capacity.ts'
import { type Context, capacity, item, operation } from './operation.ts'
import { storeItem } from './store-item.ts'
import { DELETE, PUT, UPDATE, type WriteAction, type WriteInput, writeAction } from './write-action.ts'

type Written = { before: Item | undefined; after: Item | undefined; units: number }

const carryOut = (context: Context, action: WriteAction): Written => {
  const { before, after } = action.evaluate(context)
  const units = storeItem(context, action.table, { key: action.key, before, after })
  return { before, after, units: units.item + units.indexes }
}

type Returned = 'NONE' | 'ALL_OLD' | 'ALL_NEW' | 'UPDATED_OLD' | 'UPDATED_NEW'

/** The attributes that a write tells. */
const returned = (wanted: Returned | undefined, { paths }: WriteAction, { before, after }: Written) => {
  if (wanted === undefined || wanted === 'NONE') return {}
  const whole = wanted.endsWith('_OLD') ? before : after
  const attributes = whole && wanted.startsWith('UPDATED') ? project(whole, paths) : whole
  return attributes === undefined || Object.keys(attributes).length === 0 ? {} : { Attributes: attributes }
}

type SingleInput = Omit<WriteInput, 'kind'> & {
  ReturnValues?: Returned | undefined
  ReturnConsumedCapacity?: 'NONE' | 'TOTAL' | undefined
}

const single = (kind: WriteInput['kind']) => (context: Context, input: SingleInput) => {
  const action = writeAction(context, { ...input, kind })
  const written = carryOut(context, action)
  return {
    ...returned(input.ReturnValues, action, written),
    ...consumed(input, input.TableName, written.units),
  }
}

const oldOnly = { ...capacity, ReturnValues: z.enum(['NONE', 'ALL_OLD']).optional() }

export const putItem = operation('PutItem', z.strictObject({ ...PUT, ...oldOnly }), single('put'))

export const deleteItem = operation('DeleteItem', z.strictObject({ ...DELETE, ...oldOnly }), single('delete'))

export const updateItem = operation(
  'UpdateItem',
  z.strictObject({
    ...UPDATE,
    ...capacity,
    ReturnValues: z.enum(['NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW']).optional(),
  }),
  single('update'),
)

/** DynamoDB's limit for one batch. */
const BATCH_MAX = 25

const batchWrite = z.strictObject({
  ...capacity,
  RequestItems: z.record(
    z.string(),
    z.array(
      z.union([
        z.strictObject({ PutRequest: z.strictObject({ Item: item }) }),
        z.strictObject({ DeleteRequest: z.strictObject({ Key: item }) }),
      ]),
    ),
  ),
})

const actionsOf = (context: Context, requests: z.infer<typeof batchWrite>['RequestItems']): WriteAction[] =>
  Object.entries(requests).flatMap(([TableName, ofTable]) =>
    ofTable.map((request) =>
      'PutRequest' in request
        ? writeAction(context, { kind: 'put', TableName, ...request.PutRequest })
        : writeAction(context, { kind: 'delete', TableName, ...request.DeleteRequest }),
    ),
  )

/** Whether two of them are about one item. */
export const hasTwice = (actions: readonly WriteAction[]): boolean => {
  const keys = actions.map(({ table, key }) => `${table.id} ${key.hash.toString('hex')} ${key.sort.toString('hex')}`)
  return new Set(keys).size < keys.length
}

export const batchWriteItem = operation('BatchWriteItem', batchWrite, (context, input) => {
  const actions = actionsOf(context, input.RequestItems)
  if (actions.length === 0 || actions.length > BATCH_MAX) {
    throw invalid(
      actions.length === 0
        ? 'The batch write request list for a table cannot be null or empty'
        : 'Too many items requested for the BatchWriteItem call',
    )
  }
  if (hasTwice(actions)) throw invalid('Provided list of item keys contains duplicates')
  const units = new Map<string, number>()
  for (const action of actions) count(units, action.table.name, carryOut(context, action).units)
  return { UnprocessedItems: {}, ...consumedOf(input, units) }
})

/** Whether it is a refusal that concerns one write alone. */
export const isRefusal = (error: unknown): error is DynamoError => error instanceof DynamoError
