import * as z from 'zod'
import { DynamoError, invalid } from '../dynamo-error.ts'
import type { Change } from '../storage/storage.ts'
import { spaceOf, type Table } from '../storage/table.ts'
import { query, scan } from './lists.ts'
import { type Context, type Operation, operation } from './operation.ts'
import { batchGetItem, getItem } from './reads.ts'
import {
  createTable,
  deleteTable,
  describeTable,
  describeTimeToLive,
  listTables,
  streamArn,
  updateTimeToLive,
} from './tables.ts'
import { transactWriteItems } from './transactions.ts'
import { batchWriteItem, deleteItem, putItem, updateItem } from './writes.ts'

/** Most records of one answer. */
const RECORDS_MAX = 1000

const streamed = ({ storage }: Context): Table[] => storage.tables().filter(({ stream }) => stream !== undefined)

const requireStream = (context: Context, arn: string, shardId?: string): Table => {
  const table = streamed(context).find((it) => streamArn(it) === arn)
  if (table && (shardId === undefined || table.stream?.shardId === shardId)) return table
  throw new DynamoError('ResourceNotFoundException', 'Requested resource not found')
}

const listStreams = operation(
  'ListStreams',
  z.strictObject({ TableName: z.string().optional() }),
  (context, { TableName: name }) => ({
    Streams: streamed(context)
      .filter((table) => name === undefined || table.name === name)
      .map((table) => ({ StreamArn: streamArn(table), TableName: table.name, StreamLabel: table.stream?.label })),
  }),
)

const describeSchema = z.strictObject({ StreamArn: z.string(), ExclusiveStartShardId: z.string().optional() })

/** A stream has one shard, which never ends: whoever reads sees all changes in their order. */
const describeStream = operation('DescribeStream', describeSchema, (context, input) => {
  const table = requireStream(context, input.StreamArn)
  const shardId = table.stream?.shardId
  const first = context.storage.firstChange(spaceOf(table)) ?? context.storage.lastChange() + 1
  const shard = { ShardId: shardId, SequenceNumberRange: { StartingSequenceNumber: String(first) } }
  return {
    StreamDescription: {
      StreamArn: input.StreamArn,
      StreamLabel: table.stream?.label,
      StreamStatus: 'ENABLED',
      StreamViewType: table.stream?.viewType,
      TableName: table.name,
      Shards: input.ExclusiveStartShardId === undefined ? [shard] : [],
    },
  }
})

const iteratorSchema = z.strictObject({
  StreamArn: z.string(),
  ShardId: z.string(),
  ShardIteratorType: z.enum(['TRIM_HORIZON', 'LATEST', 'AFTER_SEQUENCE_NUMBER', 'AT_SEQUENCE_NUMBER']),
  SequenceNumber: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
})

type IteratorInput = z.infer<typeof iteratorSchema>

/** Number of the first change that is wanted. Where that is not kept any more, a reader goes on with the oldest that is. */
const placeOf = ({ storage }: Context, input: IteratorInput): number => {
  if (input.ShardIteratorType === 'TRIM_HORIZON') return 0
  if (input.ShardIteratorType === 'LATEST') return storage.lastChange() + 1
  if (input.SequenceNumber === undefined) throw invalid('A sequence number is needed for this type of iterator.')
  return Number(input.SequenceNumber) + (input.ShardIteratorType === 'AFTER_SEQUENCE_NUMBER' ? 1 : 0)
}

const getShardIterator = operation('GetShardIterator', iteratorSchema, (context, input) => {
  requireStream(context, input.StreamArn, input.ShardId)
  return { ShardIterator: JSON.stringify([input.StreamArn, placeOf(context, input)]) }
})

const iterator = z.tuple([z.string(), z.int()])

const readIterator = (text: string): z.infer<typeof iterator> => {
  try {
    return iterator.parse(JSON.parse(text))
  } catch {
    throw invalid('Invalid ShardIterator')
  }
}

const recordOf = ({ number, at, record }: Change, viewType: string | undefined) => {
  const { eventName, userIdentity, ...images } = JSON.parse(record)
  return {
    eventID: String(number),
    eventName,
    eventVersion: '1.1',
    eventSource: 'aws:dynamodb',
    awsRegion: 'local',
    dynamodb: {
      ApproximateCreationDateTime: Math.floor(at / 1000),
      SequenceNumber: String(number),
      StreamViewType: viewType,
      ...images,
    },
    ...(userIdentity ? { userIdentity } : {}),
  }
}

const recordsSchema = z.strictObject({
  ShardIterator: z.string(),
  Limit: z.int().min(1).max(RECORDS_MAX).optional(),
})

const getRecords = operation('GetRecords', recordsSchema, (context, input) => {
  const [arn, from] = readIterator(input.ShardIterator)
  const table = requireStream(context, arn)
  const changes = context.storage.changes(spaceOf(table), from, input.Limit ?? RECORDS_MAX)
  const last = changes.at(-1)
  return {
    Records: changes.map((change) => recordOf(change, table.stream?.viewType)),
    NextShardIterator: JSON.stringify([arn, last ? last.number + 1 : from]),
  }
})

/** By target header: those that fedplane and its tests use. Every other one is refused by name. */
export const OPERATIONS: ReadonlyMap<string, Operation> = new Map(
  Object.entries({
    'DynamoDB_20120810.GetItem': getItem,
    'DynamoDB_20120810.BatchGetItem': batchGetItem,
    'DynamoDB_20120810.Query': query,
    'DynamoDB_20120810.Scan': scan,
    'DynamoDB_20120810.PutItem': putItem,
    'DynamoDB_20120810.UpdateItem': updateItem,
    'DynamoDB_20120810.DeleteItem': deleteItem,
    'DynamoDB_20120810.BatchWriteItem': batchWriteItem,
    'DynamoDB_20120810.TransactWriteItems': transactWriteItems,
    'DynamoDB_20120810.CreateTable': createTable,
    'DynamoDB_20120810.DescribeTable': describeTable,
    'DynamoDB_20120810.DeleteTable': deleteTable,
    'DynamoDB_20120810.ListTables': listTables,
    'DynamoDB_20120810.DescribeTimeToLive': describeTimeToLive,
    'DynamoDB_20120810.UpdateTimeToLive': updateTimeToLive,
    'DynamoDBStreams_20120810.ListStreams': listStreams,
    'DynamoDBStreams_20120810.DescribeStream': describeStream,
    'DynamoDBStreams_20120810.GetShardIterator': getShardIterator,
    'DynamoDBStreams_20120810.GetRecords': getRecords,
  }),
)
