import { createHash } from 'node:crypto'
import * as z from 'zod'
import { DynamoError, invalid } from '../dynamo-error.ts'
import { sizeOf } from '../items/size.ts'
import type { Item } from '../items/value.ts'
import { consumedOf, count } from './capacity.ts'
import { type Context, capacity, operation } from './operation.ts'
import { storeItem } from './store-item.ts'
import { CHECK, DELETE, PUT, UPDATE, type WriteAction, type WriteInput, writeAction } from './write-action.ts'
import { hasTwice, isRefusal } from './writes.ts'

/** DynamoDB's limits for one transaction. */
const ACTIONS_MAX = 100
const BYTES_MAX = 4 * 1024 * 1024
/** How long a request's token stands for it, milliseconds. */
export const TOKEN_LIFE_MS = 10 * 60_000

const transactItem = z.union([
  z.strictObject({ Put: z.strictObject(PUT) }),
  z.strictObject({ Delete: z.strictObject(DELETE) }),
  z.strictObject({ Update: z.strictObject(UPDATE) }),
  z.strictObject({ ConditionCheck: z.strictObject(CHECK) }),
])

const transactWrite = z.strictObject({
  ...capacity,
  TransactItems: z.array(transactItem),
  ClientRequestToken: z.string().min(1).max(36).optional(),
})

const inputOf = (action: z.infer<typeof transactItem>): WriteInput => {
  if ('Put' in action) return { kind: 'put', ...action.Put }
  if ('Delete' in action) return { kind: 'delete', ...action.Delete }
  return 'Update' in action ? { kind: 'update', ...action.Update } : { kind: 'check', ...action.ConditionCheck }
}

const tooLarge = (): Error =>
  invalid(
    'Collection size of items exceeded, which can also be caused by the aggregate size of the items in the transaction exceeding the 4MB limit',
  )

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)

const requireSound = (actions: readonly WriteAction[]): void => {
  if (hasTwice(actions)) throw invalid('Transaction request cannot include multiple operations on one item')
  if (sum(actions.map(({ size }) => size)) > BYTES_MAX) throw tooLarge()
}

type Evaluated = { before: Item | undefined; after: Item | undefined }
type Reason = { Code: string; Message?: string; Item?: Item }

const NONE: Reason = { Code: 'None' }

const reasonOf = (error: DynamoError): Reason => {
  const isCondition = error.name === 'ConditionalCheckFailedException'
  return {
    Code: isCondition ? 'ConditionalCheckFailed' : 'ValidationError',
    Message: error.message,
    ...error.members,
  }
}

const evaluate = (context: Context, action: WriteAction): Evaluated | Reason => {
  try {
    return action.evaluate(context)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return reasonOf(error)
  }
}

const isReason = (result: Evaluated | Reason): result is Reason => 'Code' in result

const cancelled = (results: readonly (Evaluated | Reason)[]): DynamoError => {
  const reasons = results.map((result) => (isReason(result) ? result : NONE))
  const codes = reasons.map(({ Code }) => Code).join(', ')
  return new DynamoError(
    'TransactionCanceledException',
    `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes}]`,
    { CancellationReasons: reasons },
  )
}

/** All, or nothing when one can't be carried out. Units of items count twice, those of indexes once. */
const carryOut = (context: Context, actions: readonly WriteAction[]): Map<string, number> => {
  const results = actions.map((action) => evaluate(context, action))
  if (results.some(isReason)) throw cancelled(results)
  const evaluated = results as Evaluated[]
  if (sum(evaluated.map(({ before, after }) => sizeOf(after ?? before ?? {}))) > BYTES_MAX) throw tooLarge()
  const units = new Map<string, number>()
  for (const [index, action] of actions.entries()) {
    const { item, indexes } = storeItem(context, action.table, { key: action.key, ...(evaluated[index] as Evaluated) })
    count(units, action.table.name, 2 * item + indexes)
  }
  return units
}

const digestOf = (items: unknown): string => createHash('sha256').update(JSON.stringify(items)).digest('base64')

/** True when the same request was carried out under this token. @throws DynamoError when another one was */
const isRepeated = ({ storage, now }: Context, token: string, digest: string): boolean => {
  const known = storage.token(token, now() - TOKEN_LIFE_MS)
  if (known === undefined || known === digest) return known !== undefined
  throw new DynamoError(
    'IdempotentParameterMismatchException',
    'The request uses the same client token as a previous, but non-identical request.',
  )
}

export const transactWriteItems = operation('TransactWriteItems', transactWrite, (context, input) => {
  const { TransactItems: items, ClientRequestToken: token } = input
  if (items.length === 0 || items.length > ACTIONS_MAX) {
    throw invalid(
      `1 validation error detected: Value at 'transactItems' failed to satisfy constraint: Member must have length ${items.length === 0 ? 'greater than or equal to 1' : `less than or equal to ${ACTIONS_MAX}`}`,
    )
  }
  const actions = items.map((it) => writeAction(context, { ...inputOf(it), isPart: true }))
  requireSound(actions)
  const digest = token === undefined ? '' : digestOf(items)
  if (token !== undefined && isRepeated(context, token, digest)) return {}
  const units = carryOut(context, actions)
  if (token !== undefined) context.storage.addToken(token, digest, context.now())
  return consumedOf(input, units)
})
