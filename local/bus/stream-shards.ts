import {
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  type Shard,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams'
import type { Connection } from '../dynamodb/connection.ts'

/** A change of the table: which item, and where in the stream. */
export type StreamRecord = { sequenceNumber: string; kind: string; pk: string; sk: string }

/** Reads a table's stream. */
export interface StreamShards {
  streamArn: string
  list(): Promise<string[]>
  /** Records of a shard after a sequence number, or from the oldest kept; at most 1,000, empty at the end. */
  read(shardId: string, after: string | undefined): Promise<StreamRecord[]>
  close(): void
}

class Shards implements StreamShards {
  readonly streamArn: string
  readonly #client: DynamoDBStreamsClient

  constructor(client: DynamoDBStreamsClient, streamArn: string) {
    this.#client = client
    this.streamArn = streamArn
  }

  async list(): Promise<string[]> {
    const shards: Shard[] = []
    let start: string | undefined
    do {
      const command = new DescribeStreamCommand({ StreamArn: this.streamArn, ExclusiveStartShardId: start })
      const { StreamDescription } = await this.#client.send(command)
      shards.push(...(StreamDescription?.Shards ?? []))
      start = StreamDescription?.LastEvaluatedShardId
    } while (start)
    return shards.flatMap(({ ShardId }) => ShardId ?? [])
  }

  async read(shardId: string, after: string | undefined): Promise<StreamRecord[]> {
    const { Records = [] } = await this.#client.send(
      new GetRecordsCommand({ ShardIterator: await this.#at(shardId, after) }),
    )
    return Records.flatMap(({ eventName = '', dynamodb }) => {
      const { SequenceNumber: sequenceNumber, Keys } = dynamodb ?? {}
      const pk = Keys?.pk?.S
      const sk = Keys?.sk?.S
      return sequenceNumber && pk && sk ? [{ sequenceNumber, kind: eventName, pk, sk }] : []
    })
  }

  close(): void {
    this.#client.destroy()
  }

  async #at(shardId: string, after: string | undefined): Promise<string | undefined> {
    const where = { StreamArn: this.streamArn, ShardId: shardId }
    const oldest = { ...where, ShardIteratorType: 'TRIM_HORIZON' as const }
    if (after === undefined) return (await this.#client.send(new GetShardIteratorCommand(oldest))).ShardIterator
    try {
      const next = { ...where, ShardIteratorType: 'AFTER_SEQUENCE_NUMBER' as const, SequenceNumber: after }
      return (await this.#client.send(new GetShardIteratorCommand(next))).ShardIterator
    } catch (error) {
      if (!(error instanceof TrimmedDataAccessException)) throw error
      return (await this.#client.send(new GetShardIteratorCommand(oldest))).ShardIterator
    }
  }
}

/** The newest stream of a table. @throws TypeError when it has none */
export const openStreamShards = async (connection: Connection, tableName: string): Promise<StreamShards> => {
  const client = new DynamoDBStreamsClient(connection)
  const { Streams = [] } = await client.send(new ListStreamsCommand({ TableName: tableName }))
  const newest = Streams.sort((one, other) => (one.StreamLabel ?? '').localeCompare(other.StreamLabel ?? '')).at(-1)
  if (!newest?.StreamArn) {
    client.destroy()
    throw new TypeError(`The table ${tableName} has no stream.`)
  }
  return new Shards(client, newest.StreamArn)
}
