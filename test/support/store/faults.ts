import {
  ProvisionedThroughputExceededException,
  ThrottlingException,
  TransactionCanceledException,
  TransactionConflictException,
  TransactionInProgressException,
} from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'

/**
 * What DynamoDB does under load, and the embedded database never:
 *
 * - `conflict`: another transaction holds an item;
 * - `throttled`, `throughput-exceeded`: refused before anything happened;
 * - `transaction-throttled`: the same, as a reason of a cancelled transaction;
 * - `in-progress`: carried out, but the answer says that it still runs;
 * - `answer-lost`: carried out, but the connection broke.
 */
export type Fault =
  | 'conflict'
  | 'throttled'
  | 'throughput-exceeded'
  | 'transaction-throttled'
  | 'in-progress'
  | 'answer-lost'

export type Faults = {
  /** The next requests of these commands (`TransactWriteItemsCommand`, …; default: all writes) meet these, in order. */
  inject(faults: readonly Fault[], commands?: RegExp): void
  /** The next batches of reads answer their first key only, and give the others back as unprocessed. */
  splitBatches(count: number): void
  /** Faults that nothing met yet. */
  pending(): number
  /** From now on queries of an index go to another table, which holds an earlier state; undefined: back to the real one. */
  lagIndexes(tableName: string | undefined): void
}

const WRITES = /^(PutItem|UpdateItem|DeleteItem|TransactWriteItems)Command$/

const base = { message: 'injected', $metadata: {} }

const cancelled = (input: unknown, code: string): TransactionCanceledException => {
  const { TransactItems: items = [] } = input as { TransactItems?: unknown[] }
  const reasons = items.map((_, index) => ({ Code: index === items.length - 1 ? code : 'None' }))
  return new TransactionCanceledException({ ...base, CancellationReasons: reasons })
}

const errorOf = (fault: Fault, commandName: string, input: unknown): Error => {
  const isTransaction = commandName === 'TransactWriteItemsCommand'
  switch (fault) {
    case 'conflict':
      return isTransaction ? cancelled(input, 'TransactionConflict') : new TransactionConflictException(base)
    case 'throttled':
      return new ThrottlingException(base)
    case 'throughput-exceeded':
      return new ProvisionedThroughputExceededException(base)
    case 'transaction-throttled':
      return cancelled(input, 'ThrottlingError')
    case 'in-progress':
      return new TransactionInProgressException(base)
    case 'answer-lost':
      return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
  }
}

type BatchInput = { RequestItems: Record<string, { Keys: unknown[] }> }

/** A batch cut to its first key, and what is left of it. */
const split = ({ RequestItems: requests }: BatchInput): { first: BatchInput; rest: BatchInput['RequestItems'] } => {
  const [[table, { Keys: keys, ...options }]] = Object.entries(requests) as [[string, { Keys: unknown[] }]]
  return {
    first: { RequestItems: { [table]: { ...options, Keys: keys.slice(0, 1) } } },
    rest: keys.length > 1 ? { [table]: { ...options, Keys: keys.slice(1) } } : {},
  }
}

const isCarriedOut = (fault: Fault): boolean => fault === 'in-progress' || fault === 'answer-lost'

/** Puts faults between a client's retries and the database. */
export const installFaults = (client: DynamoDBDocumentClient): Faults => {
  let queue: Fault[] = []
  let matching = WRITES
  let laggingTable: string | undefined
  let batchesToSplit = 0
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const commandName = String(context.commandName)
      const fault = matching.test(commandName) ? queue.shift() : undefined
      if (fault === undefined) return next(args)
      if (isCarriedOut(fault)) await next(args)
      throw errorOf(fault, commandName, args.input)
    },
    { step: 'finalizeRequest', priority: 'low', name: 'injectFaults' },
  )
  client.middlewareStack.add(
    (next) => (args) => {
      const isIndexQuery = 'IndexName' in args.input && args.input.IndexName !== undefined
      if (laggingTable === undefined || !isIndexQuery) return next(args)
      return next({ ...args, input: { ...args.input, TableName: laggingTable } as typeof args.input })
    },
    { step: 'initialize', priority: 'low', name: 'lagIndexes' },
  )
  client.middlewareStack.add(
    (next) => async (args) => {
      if (!('RequestItems' in args.input) || batchesToSplit === 0) return next(args)
      batchesToSplit--
      const { first, rest } = split(args.input as BatchInput)
      const answer = await next({ ...args, input: first as typeof args.input })
      return { ...answer, output: { ...answer.output, UnprocessedKeys: rest } }
    },
    { step: 'initialize', priority: 'high', name: 'splitBatches' },
  )
  return {
    splitBatches: (count) => {
      batchesToSplit = count
    },
    inject: (faults, commands = WRITES) => {
      queue = [...faults]
      matching = commands
    },
    pending: () => queue.length,
    lagIndexes: (tableName) => {
      laggingTable = tableName
    },
  }
}
