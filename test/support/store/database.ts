import { randomUUID } from 'node:crypto'
import { DeleteTableCommand } from '@aws-sdk/client-dynamodb'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { inject } from 'vitest'
import type { Clock, KeyService } from '../../../functions/runtime/ports.ts'
import { openDocumentClient } from '../../../functions/store/dynamodb/document-client.ts'
import { dynamoStores } from '../../../functions/store/dynamodb/stores.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { LOCAL_REGION } from '../../../local/dynamodb/embedded-dynamodb.ts'
import { ensureTable } from '../../../local/dynamodb/ensure-table.ts'
import { memoryKeys } from './memory-keys.ts'

export type TestTable = {
  endpoint: string
  tableName: string
  client: DynamoDBDocumentClient
  /** Removes the table and closes the client. */
  dispose(): Promise<void>
}

/** A fresh, empty table in the run's embedded database. Dispose of it in `afterAll`. */
export const createTestTable = async (): Promise<TestTable> => {
  const endpoint = inject('dynamodbEndpoint')
  const tableName = `test-${randomUUID()}`
  const client = openDocumentClient({ region: LOCAL_REGION, endpoint })
  await ensureTable(client, tableName)
  const dispose = async (): Promise<void> => {
    await client.send(new DeleteTableCommand({ TableName: tableName }))
    client.destroy()
  }
  return { endpoint, tableName, client, dispose }
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
