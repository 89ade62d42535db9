import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import * as z from 'zod'
import { EXECUTION_TABLE } from '../engine/execution-table.ts'

/** Last sequence number that was delivered, per shard. */
export const StreamPosition = z.record(z.string(), z.string())
export type StreamPosition = z.infer<typeof StreamPosition>

/** Where delivery of a stream has come to, so that a restart neither loses nor repeats a day's events. */
export interface StreamPositionStore {
  load(): Promise<StreamPosition>
  save(position: StreamPosition): Promise<void>
}

/** Kept in the engine's table: it lives and dies with the database that holds the stream. */
export const dynamoStreamPosition = (client: DynamoDBDocumentClient, streamArn: string): StreamPositionStore => {
  const key = { pk: `STREAM#${streamArn}` }
  return {
    load: async () => {
      const { Item } = await client.send(new GetCommand({ TableName: EXECUTION_TABLE, Key: key, ConsistentRead: true }))
      return Item ? StreamPosition.parse(Item.position) : {}
    },
    save: async (position) => {
      await client.send(new PutCommand({ TableName: EXECUTION_TABLE, Item: { ...key, position } }))
    },
  }
}
