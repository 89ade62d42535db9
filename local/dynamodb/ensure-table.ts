import {
  CreateTableCommand,
  type CreateTableCommandInput,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
  waitUntilTableExists,
} from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { TABLE_DEFINITION } from '../../functions/store/dynamodb/table-definition.ts'

/** How long an emulator may take to make the table, seconds. The embedded database: at once. */
const TABLE_DEADLINE_SECONDS = 60

/** On AWS images are for pipes and filters. The relay here reads keys only, so that less is written. */
const STREAM = { StreamEnabled: true, StreamViewType: 'KEYS_ONLY' } as const

const keySchema = ({ partitionKey, sortKey }: { partitionKey: string; sortKey: string }) => [
  { AttributeName: partitionKey, KeyType: 'HASH' as const },
  { AttributeName: sortKey, KeyType: 'RANGE' as const },
]

const createTableInput = (tableName: string): CreateTableCommandInput => ({
  TableName: tableName,
  BillingMode: 'PAY_PER_REQUEST',
  AttributeDefinitions: [TABLE_DEFINITION, ...TABLE_DEFINITION.indexes]
    .flatMap(({ partitionKey, sortKey }) => [partitionKey, sortKey])
    .map((name) => ({ AttributeName: name, AttributeType: 'S' })),
  KeySchema: keySchema(TABLE_DEFINITION),
  GlobalSecondaryIndexes: TABLE_DEFINITION.indexes.map((index) => ({
    IndexName: index.name,
    KeySchema: keySchema(index),
    Projection: { ProjectionType: 'KEYS_ONLY' },
  })),
  StreamSpecification: STREAM,
})

/** DynamoDB refuses to switch on what is on. */
const ensureTimeToLive = async (client: DynamoDBDocumentClient, tableName: string): Promise<void> => {
  const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName: tableName }))
  if (ttl?.TimeToLiveStatus === 'ENABLED' || ttl?.TimeToLiveStatus === 'ENABLING') return
  await client.send(
    new UpdateTimeToLiveCommand({
      TableName: tableName,
      TimeToLiveSpecification: { AttributeName: TABLE_DEFINITION.ttlAttribute, Enabled: true },
    }),
  )
}

/**
 * Creates the table of fedplane unless it is there, and waits until it can be used. Safe to repeat and to run twice at once. An
 * existing table is not altered.
 */
export const ensureTable = async (client: DynamoDBDocumentClient, tableName: string): Promise<void> => {
  try {
    await client.send(new CreateTableCommand(createTableInput(tableName)))
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error
  }
  const { Table: table } = await client.send(new DescribeTableCommand({ TableName: tableName }))
  if (table?.TableStatus !== 'ACTIVE') {
    await waitUntilTableExists(
      { client, maxWaitTime: TABLE_DEADLINE_SECONDS, minDelay: 1, maxDelay: 2 },
      { TableName: tableName },
    )
  }
  await ensureTimeToLive(client, tableName)
}
