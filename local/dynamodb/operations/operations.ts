import { query, scan } from './lists.ts'
import type { Operation } from './operation.ts'
import { batchGetItem, getItem } from './reads.ts'
import { describeStream, getRecords, getShardIterator, listStreams } from './streams.ts'
import { createTable, deleteTable, describeTable, describeTimeToLive, listTables, updateTimeToLive } from './tables.ts'
import { transactWriteItems } from './transactions.ts'
import { batchWriteItem, deleteItem, putItem, updateItem } from './writes.ts'

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
