import { randomUUID } from 'node:crypto'
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Clock, KeyService } from '../../../functions/core/ports.ts'
import { openDocumentClient } from '../../../functions/store/dynamodb/request.ts'
import { dynamoStores } from '../../../functions/store/dynamodb/stores.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import type { Connection } from '../../../local/dynamodb/connection.ts'
import { type EmbeddedDynamoDb, openEmbeddedDynamoDb } from '../../../local/dynamodb/embedded-dynamodb.ts'
import { ensureTable } from '../../../local/dynamodb/ensure-table.ts'
import { memoryKeys } from './memory-keys.ts'

export type TestTable = {
  connection: Connection
  tableName: string
  client: DynamoDBDocumentClient
  /** Removes the table and closes the client. */
  dispose(): Promise<void>
}

let shared: EmbeddedDynamoDb | undefined

/** A database in memory for all test files of a worker; it ends with it. */
const sharedDatabase = (): EmbeddedDynamoDb => {
  shared ??= openEmbeddedDynamoDb({
    dataDir: undefined,
    onFault: (error) => {
      throw error
    },
  })
  return shared
}

/** A fresh, empty table. Dispose of it in `afterAll`. */
export const createTestTable = async (): Promise<TestTable> => {
  const { connection } = sharedDatabase()
  const tableName = `test-${randomUUID()}`
  const client = openDocumentClient(connection)
  await ensureTable(client, tableName)
  const dispose = async (): Promise<void> => {
    await client.send(new DeleteTableCommand({ TableName: tableName }))
    client.destroy()
  }
  return { connection, tableName, client, dispose }
}

const systemClock: Clock = { now: () => new Date() }

export type TestStores = Stores & { table: TestTable; dispose(): Promise<void> }

/** The real stores on a fresh table. Dispose of them in `afterAll`. */
export const createTestStores = async ({
  clock = systemClock,
  keys = memoryKeys(),
}: {
  clock?: Clock
  keys?: KeyService
} = {}): Promise<TestStores> => {
  const table = await createTestTable()
  const stores = dynamoStores({ documentClient: table.client, tableName: table.tableName, keys, clock })
  return { ...stores, table, dispose: table.dispose }
}
