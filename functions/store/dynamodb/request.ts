import { DynamoDBClient, type DynamoDBClientConfig } from '@aws-sdk/client-dynamodb'
import { DeleteCommand, DynamoDBDocumentClient, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../core/ports.ts'
import type { AppError } from '../../core/values/app-error.ts'
import { AWS_TIME_OUTS } from '../../http/aws-time-outs.ts'
import { StoreBusy } from '../errors.ts'
import { type Action, keyOfAction } from './action.ts'

/** `#status` in an expression stands for the attribute `status`: every name is escaped, reserved word or not. */
export const attributeNames = (...expressions: (string | undefined)[]): Record<string, string> =>
  Object.fromEntries(
    expressions.flatMap((text) =>
      (text?.match(/#\w+/g) ?? []).map((placeholder) => [placeholder, placeholder.slice(1)]),
    ),
  )

const filled = <T extends object>(record: T): T | undefined => (Object.keys(record).length === 0 ? undefined : record)

const expressionsOf = (tableName: string, action: Action) => {
  const update = action.type === 'update' ? action.update : undefined
  return {
    TableName: tableName,
    ConditionExpression: action.condition,
    ExpressionAttributeNames: filled(attributeNames(update, action.condition)),
    ExpressionAttributeValues: filled({ ...action.values }),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
}

const keyOnly = (action: Action): { pk: string; sk: string } => {
  const { pk, sk } = keyOfAction(action)
  return { pk, sk }
}

/** An action as part of a transaction. */
export const transactItem = (tableName: string, action: Action) => {
  const shared = expressionsOf(tableName, action)
  if (action.type === 'put') return { Put: { ...shared, Item: action.item } }
  if (action.type === 'delete') return { Delete: { ...shared, Key: keyOnly(action) } }
  if (action.type === 'check') return { ConditionCheck: { ...shared, Key: keyOnly(action) } }
  return { Update: { ...shared, Key: keyOnly(action), UpdateExpression: action.update } }
}

/** Carries out an action on its own: half the price of a transaction of one. */
export const sendSingle = async (client: DynamoDBDocumentClient, tableName: string, action: Action): Promise<void> => {
  const shared = expressionsOf(tableName, action)
  if (action.type === 'put') await client.send(new PutCommand({ ...shared, Item: action.item }))
  else if (action.type === 'delete') await client.send(new DeleteCommand({ ...shared, Key: keyOnly(action) }))
  else if (action.type === 'update') {
    const { update } = action
    await client.send(new UpdateCommand({ ...shared, Key: keyOnly(action), UpdateExpression: update }))
  }
}

/** What every store of this folder works with. */
export type StoreContext = {
  client: DynamoDBDocumentClient
  tableName: string
  clock: Clock
  /** Waits between attempts, milliseconds. A test may wait for nothing. */
  pause: (milliseconds: number) => Promise<void>
}

/**
 * DynamoDB client for the stores. `destroy()` it when the process goes on without it.
 *
 * @param settings of the SDK. Default of `maxAttempts`, its own for throttling and faults of the network, is 5, which end within a request's time whatever
 * DynamoDB does; then the store says `StoreBusy`
 */
export const openDocumentClient = (settings: DynamoDBClientConfig): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(new DynamoDBClient({ maxAttempts: 5, requestHandler: AWS_TIME_OUTS, ...settings }), {
    marshallOptions: { removeUndefinedValues: true },
  })

/** Names of refusals for load and of passing faults, when the SDK's own retries are used up. */
const PASSING: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'TooManyRequestsException',
  'InternalServerError',
  'ServiceUnavailable',
  'TimeoutError',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
])

/** Name and code of an error of the SDK or of Node's sockets. */
const namesOf = (error: unknown): string[] =>
  error instanceof Error ? [error.name, ...('code' in error && typeof error.code === 'string' ? [error.code] : [])] : []

export const hasName = (error: unknown, name: string): boolean => namesOf(error).includes(name)

/** StoreBusy where waiting may help; every other error as it is: it is a fault of ours or of the deployment. */
export const asStoreError = (error: unknown): unknown =>
  namesOf(error).some((name) => PASSING.has(name)) ? storeBusy(error) : error

export const storeBusy = (cause: unknown): AppError =>
  new StoreBusy('The database is busy or cannot be reached; try again in a few seconds.', { cause })

/** Waits, milliseconds. */
export const pauseFor = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds))

const BASE_MS = 20
const CAP_MS = 1000

/** Full jitter: somewhere between nothing and an exponential bound, so that writers in conflict spread out. Milliseconds. */
export const fullJitter = (attempt: number): number => Math.random() * Math.min(CAP_MS, BASE_MS * 2 ** attempt)
