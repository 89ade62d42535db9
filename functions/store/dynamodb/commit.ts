import { randomUUID } from 'node:crypto'
import {
  type CancellationReason,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb'
import { TransactWriteCommand } from '@aws-sdk/lib-dynamodb'
import { InvalidCommit, ItemTooLarge } from '../errors.ts'
import type { ItemIntegrity } from '../sealing/integrity.ts'
import type { Commit } from '../write.ts'
import { type Action, actionsOf, keyOfAction } from './action.ts'
import { asStoreError, fullJitter, hasName, type StoreContext, sendSingle, storeBusy, transactItem } from './request.ts'

/** DynamoDB tells it by the text alone: the name of the error is that of every request that can't be carried out. */
const TOO_LARGE = /\b(?:item|collection|aggregate) size\b.*\bexceed/i

/** True for DynamoDB's refusal of an item of more than 400 KB, or a transaction of more than 4 MB. */
const saysTooLarge = (message: string | undefined): boolean => TOO_LARGE.test(message ?? '')

/** The same among the reasons of a transaction that was cancelled. */
const anyTooLarge = (reasons: readonly CancellationReason[]): boolean =>
  reasons.some(({ Code, Message }) => Code === 'ValidationError' && saysTooLarge(Message))

/** @param cause what DynamoDB said */
const itemTooLarge = (cause: Error): ItemTooLarge =>
  new ItemTooLarge(
    'What is stored of this would be larger than the database takes (400 KB for an object, 4 MB for a change). Shorten its texts, such as labels, or remove node groups, and try again.',
    { cause },
  )

/** DynamoDB's limit for one transaction. */
const ACTIONS_MAX = 100
/**
 * How long a commit waits between its attempts in all, milliseconds: about 30 of them. Clusters made from one template all write its count.
 * DynamoDB carries out transactions on one item one after the other, by estimate 50 to 100 a second: 500 at once take 5 to 10 s, and
 * API Gateway gives a request 29 s.
 */
const TIMEOUT_MS = 15_000

/** One attempt, or what is left to attempt after one that failed. */
type Attempt = {
  actions: readonly Action[]
  /** Kept while the outcome of an attempt is unknown, so that it is not applied twice. */
  token: string
  /** Set after a conflict with other writers: wait, and count. */
  contention?: unknown
}

const check = (actions: readonly Action[]): void => {
  const keys = actions.map((action) => `${keyOfAction(action).pk}|${keyOfAction(action).sk}`)
  const twice = keys.find((key, index) => keys.indexOf(key) !== index)
  if (twice !== undefined) {
    throw new InvalidCommit(`One commit writes the item ${twice} twice; combine the two in one call of the store.`)
  }
  if (actions.length > ACTIONS_MAX) {
    throw new InvalidCommit(
      `One commit writes ${actions.length} items; DynamoDB takes at most ${ACTIONS_MAX} in a transaction.`,
    )
  }
}

const RETRIED_REASONS: ReadonlySet<string> = new Set([
  'TransactionConflict',
  'ProvisionedThroughputExceeded',
  'ThrottlingError',
])

/** Reasons come in the order of the actions. */
const afterCancellation = (
  reasons: readonly CancellationReason[],
  actions: readonly Action[],
  cause: Error,
): Attempt => {
  const failed = (index: number): boolean => reasons[index]?.Code === 'ConditionalCheckFailed'
  const lost = actions.findIndex((action, index) => failed(index) && action.optional === undefined)
  const loser = actions[lost]
  if (loser !== undefined) throw loser.onConflict(reasons[lost]?.Item)
  if (anyTooLarge(reasons)) throw itemTooLarge(cause)
  const left = actions.filter((_, index) => !failed(index))
  const contended = reasons.some(({ Code }) => RETRIED_REASONS.has(Code ?? ''))
  if (!contended && left.length === actions.length) throw cause
  return { actions: left, token: randomUUID(), ...(contended ? { contention: cause } : {}) }
}

const isTooLarge = (error: unknown): error is Error =>
  error instanceof Error && hasName(error, 'ValidationException') && saysTooLarge(error.message)

const afterFailure = (error: unknown, { actions, token }: Attempt): Attempt => {
  if (error instanceof TransactionCanceledException) {
    return afterCancellation(error.CancellationReasons ?? [], actions, error)
  }
  if (error instanceof ConditionalCheckFailedException) {
    const reason = { Code: 'ConditionalCheckFailed', ...(error.Item === undefined ? {} : { Item: error.Item }) }
    return afterCancellation([reason], actions, error)
  }
  if (hasName(error, 'TransactionConflictException')) return { actions, token: randomUUID(), contention: error }
  if (hasName(error, 'TransactionInProgressException')) return { actions, token, contention: error }
  throw isTooLarge(error) ? itemTooLarge(error) : asStoreError(error)
}

const send = async ({ client, tableName }: StoreContext, { actions, token }: Attempt): Promise<void> => {
  const [first, ...more] = actions
  if (first === undefined) return
  if (more.length === 0 && first.type !== 'check') {
    await sendSingle(client, tableName, first)
    return
  }
  const items = actions.map((action) => transactItem(tableName, action))
  await client.send(new TransactWriteCommand({ TransactItems: items, ClientRequestToken: token }))
}

/** Undefined when it was carried out. */
const attempt = async (context: StoreContext, todo: Attempt): Promise<Attempt | undefined> => {
  try {
    await send(context, todo)
    return undefined
  } catch (error) {
    return afterFailure(error, todo)
  }
}

/** The action with the `integrity` of what it writes. @throws ItemAltered when what it was decided on was altered */
const withIntegrity = async (integrity: ItemIntegrity | undefined, action: Action): Promise<Action> => {
  const { bound } = action
  if (bound === undefined) return action
  if (integrity === undefined) throw new InvalidCommit('This commit has no keys for the integrity of what it writes.')
  const { projectId, facts, read } = bound
  if (read !== null) await integrity.check(projectId, read.facts, read.integrity)
  const mac = await integrity.of(projectId, facts)
  return action.type === 'put'
    ? { ...action, item: { ...action.item, integrity: mac } }
    : { ...action, values: { ...action.values, ':integrity': mac } }
}

/** Makes the one way to write: see `Commit`. Without `integrity` it writes nothing that has one. */
export const dynamoCommit =
  (context: StoreContext, integrity?: ItemIntegrity): Commit =>
  async (writes) => {
    const actions = await Promise.all(writes.flatMap(actionsOf).map((action) => withIntegrity(integrity, action)))
    check(actions)
    let retries = 0
    let waited = 0
    let todo: Attempt | undefined = { actions, token: randomUUID() }
    while (todo !== undefined) {
      todo = await attempt(context, todo)
      if (todo?.contention === undefined) continue
      const pause = fullJitter(retries++)
      waited += pause
      if (waited > TIMEOUT_MS) throw storeBusy(todo.contention)
      await context.pause(pause)
    }
  }
