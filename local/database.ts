import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { openDocumentClient } from '../functions/store/dynamodb/document-client.ts'
import type { Closers } from './closers.ts'
import { LOCAL_REGION, startEmbeddedDynamoDb } from './dynamodb/embedded-dynamodb.ts'
import { ensureTable } from './dynamodb/ensure-table.ts'
import { createExecutionTable } from './engine/execution-table.ts'

/** Name of the stores' table. */
export const TABLE = 'fedplane'

export type Database = {
  client: DynamoDBDocumentClient
  connection: { endpoint: string; region: string }
  /** Process id of the embedded database; undefined when it is not ours. */
  pid: number | undefined
}

/**
 * The database with its tables, ready to use.
 *
 * @throws DynamoDbProgramNotFound, DataDirectoryInUse, DataDirectoryUnusable, EmbeddedDynamoDbFailed
 */
export const openDatabase = async (
  options: { dataDir: string; endpoint: string | undefined },
  closers: Closers,
): Promise<Database> => {
  const embedded = await startEmbeddedDynamoDb(options)
  closers.add(() => embedded.stop())
  const connection = { endpoint: embedded.endpoint, region: LOCAL_REGION }
  const client = openDocumentClient(connection)
  closers.add(async () => client.destroy())
  await Promise.all([ensureTable(client, TABLE), createExecutionTable(client)])
  return { client, connection, pid: embedded.pid }
}
