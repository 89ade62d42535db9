import { ConditionalCheckFailedException, CreateTableCommand, ResourceInUseException } from '@aws-sdk/client-dynamodb'
import {
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import type { ExecutionRef } from '../../functions/core/operation/operation.ts'
import { type ExecutionEnd, ExecutionRecord, executionKey } from './execution-record.ts'

/** Name of the engine's own table, beside the one of the stores. */
export const EXECUTION_TABLE = 'fedplane-executions'
const RUNNING_INDEX = 'running'

/** Closed executions are kept this long, seconds: long enough to look into, and far longer than any operation's deadline. */
const RETENTION_SECONDS = 7 * 24 * 3600

/** A state that an execution has entered, with the state's raw input as JSON text. */
export type Checkpoint = { at: string; data: string }

/** Where executions are kept, so that they outlive the process. */
export interface ExecutionTable {
  /** False when the name is taken, by a running or a closed one. */
  insert(record: ExecutionRecord): Promise<boolean>
  get(ref: ExecutionRef): Promise<ExecutionRecord | undefined>
  /** False when it is closed: whoever runs it must stop. */
  checkpoint(ref: ExecutionRef, checkpoint: Checkpoint): Promise<boolean>
  /** Counts a restart. False when it is closed. */
  countResume(ref: ExecutionRef): Promise<boolean>
  /** False when it was closed already, or never there. */
  close(ref: ExecutionRef, end: ExecutionEnd, now: Date): Promise<boolean>
  /** Running ones, oldest first. */
  running(): Promise<ExecutionRecord[]>
  /** All of them, in no order. */
  all(): Promise<ExecutionRecord[]>
  /** Deletes closed ones that are past their retention; how many. */
  prune(now: Date): Promise<number>
}

/** Makes the table unless it is there. */
export const createExecutionTable = async (
  client: DynamoDBDocumentClient,
  tableName = EXECUTION_TABLE,
): Promise<void> => {
  const attribute = (name: string) => ({ AttributeName: name, AttributeType: 'S' as const })
  const command = new CreateTableCommand({
    TableName: tableName,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: ['pk', 'running', 'startedAt'].map(attribute),
    KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    GlobalSecondaryIndexes: [
      {
        // Sparse: `running` is taken away when the execution closes.
        IndexName: RUNNING_INDEX,
        KeySchema: [
          { AttributeName: 'running', KeyType: 'HASH' },
          { AttributeName: 'startedAt', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  })
  await client.send(command).catch((error: unknown) => {
    if (!(error instanceof ResourceInUseException)) throw error
  })
}

type Key = Record<string, unknown> | undefined
type ItemPage = { Items?: Record<string, unknown>[] | undefined; LastEvaluatedKey?: Key }

const everyItem = async function* (page: (start: Key) => Promise<ItemPage>): AsyncGenerator<Record<string, unknown>> {
  let start: Key
  do {
    const { Items = [], LastEvaluatedKey } = await page(start)
    yield* Items
    start = LastEvaluatedKey
  } while (start)
}

const allRecords = async (page: (start: Key) => Promise<ItemPage>): Promise<ExecutionRecord[]> => {
  const records: ExecutionRecord[] = []
  for await (const item of everyItem(page)) records.push(ExecutionRecord.parse(item))
  return records
}

/** True unless the condition did not hold. */
const held = async (write: Promise<unknown>): Promise<boolean> => {
  try {
    await write
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}

const setAll = (fields: Record<string, unknown>) => ({
  UpdateExpression: `SET ${Object.keys(fields)
    .map((name) => `#${name} = :${name}`)
    .join(', ')}`,
  ExpressionAttributeNames: Object.fromEntries(Object.keys(fields).map((name) => [`#${name}`, name])),
  ExpressionAttributeValues: Object.fromEntries(Object.entries(fields).map(([name, value]) => [`:${name}`, value])),
})

const defined = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const IS_RUNNING = 'attribute_exists(running)'
const EXPIRED = 'expiresAt < :now'

class DynamoExecutionTable implements ExecutionTable {
  readonly #client: DynamoDBDocumentClient
  readonly #tableName: string

  constructor(client: DynamoDBDocumentClient, tableName: string) {
    this.#client = client
    this.#tableName = tableName
  }

  insert(record: ExecutionRecord): Promise<boolean> {
    const item = { ...record, pk: executionKey(record), running: 'RUNNING' }
    const put = { TableName: this.#tableName, Item: item, ConditionExpression: 'attribute_not_exists(pk)' }
    return held(this.#client.send(new PutCommand(put)))
  }

  async get(ref: ExecutionRef): Promise<ExecutionRecord | undefined> {
    const get = new GetCommand({ TableName: this.#tableName, Key: { pk: executionKey(ref) }, ConsistentRead: true })
    const { Item } = await this.#client.send(get)
    return Item && ExecutionRecord.parse(Item)
  }

  checkpoint(ref: ExecutionRef, { at, data }: Checkpoint): Promise<boolean> {
    return this.#updateRunning(ref, setAll({ at, data }))
  }

  countResume(ref: ExecutionRef): Promise<boolean> {
    const update = { UpdateExpression: 'ADD resumed :one', ExpressionAttributeValues: { ':one': 1 } }
    return this.#updateRunning(ref, update)
  }

  close(ref: ExecutionRef, end: ExecutionEnd, now: Date): Promise<boolean> {
    const expiresAt = Math.floor(now.getTime() / 1000) + RETENTION_SECONDS
    const update = setAll(defined({ ...end, stoppedAt: now.toISOString(), expiresAt }))
    return this.#updateRunning(ref, { ...update, UpdateExpression: `${update.UpdateExpression} REMOVE running` })
  }

  running(): Promise<ExecutionRecord[]> {
    const query = {
      TableName: this.#tableName,
      IndexName: RUNNING_INDEX,
      KeyConditionExpression: 'running = :running',
      ExpressionAttributeValues: { ':running': 'RUNNING' },
    }
    const page = (start: Key) => this.#client.send(new QueryCommand({ ...query, ExclusiveStartKey: start }))
    return allRecords(page)
  }

  all(): Promise<ExecutionRecord[]> {
    // Other items of local mode may lie beside executions.
    const executions = {
      FilterExpression: 'begins_with(pk, :prefix)',
      ExpressionAttributeValues: { ':prefix': 'EXECUTION#' },
    }
    const scan = { TableName: this.#tableName, ...executions }
    const page = (start: Key) => this.#client.send(new ScanCommand({ ...scan, ExclusiveStartKey: start }))
    return allRecords(page)
  }

  async prune(now: Date): Promise<number> {
    const values = { ':now': Math.floor(now.getTime() / 1000) }
    const scan = { TableName: this.#tableName, FilterExpression: EXPIRED, ExpressionAttributeValues: values }
    const page = (start: Key) => this.#client.send(new ScanCommand({ ...scan, ExclusiveStartKey: start }))
    const condition = { ConditionExpression: EXPIRED, ExpressionAttributeValues: values }
    let pruned = 0
    for await (const { pk } of everyItem(page)) {
      const remove = new DeleteCommand({ TableName: this.#tableName, Key: { pk }, ...condition })
      if (await held(this.#client.send(remove))) pruned += 1
    }
    return pruned
  }

  #updateRunning(ref: ExecutionRef, update: Partial<UpdateCommand['input']>): Promise<boolean> {
    const where = { TableName: this.#tableName, Key: { pk: executionKey(ref) }, ConditionExpression: IS_RUNNING }
    return held(this.#client.send(new UpdateCommand({ ...where, ...update })))
  }
}

/** The table over DynamoDB; `createExecutionTable` comes first. */
export const dynamoExecutionTable = (client: DynamoDBDocumentClient, tableName = EXECUTION_TABLE): ExecutionTable =>
  new DynamoExecutionTable(client, tableName)
