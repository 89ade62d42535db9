import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Logger } from '../functions/runtime/ports.ts'
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
  /** Process id of the embedded database now; undefined when it is not ours. */
  readonly pid: number | undefined
  /** Calls it whenever the database had ended, was started again and answers: writes may have failed meanwhile. */
  onRestart(listener: () => void): void
  /** Settles with the reason when the embedded database is over for good, unasked. */
  lost: Promise<unknown>
}

const prepare = async (client: DynamoDBDocumentClient, lost: Promise<unknown>): Promise<void> => {
  const over = lost.then((error) => {
    throw error
  })
  await Promise.race([Promise.all([ensureTable(client, TABLE), createExecutionTable(client)]), over])
}

/**
 * The database with its tables, ready to use.
 *
 * @throws DynamoDbProgramNotFound, DataDirectoryInUse, DataDirectoryUnusable, EmbeddedDynamoDbFailed
 */
export const openDatabase = async (
  options: { dataDir: string; endpoint: string | undefined },
  { closers, log }: { closers: Closers; log: Logger },
): Promise<Database> => {
  const listeners: (() => void)[] = []
  const { promise: lost, resolve: onLost } = Promise.withResolvers<unknown>()
  const onRestart = (end: string): void => {
    log.warn('the embedded database ended and was started again', { end })
    for (const listener of listeners) listener()
  }
  const onSlow = (error: unknown): void => {
    log.warn('the stream of the embedded database has no index, so each change makes it slower', { error })
  }
  const embedded = await startEmbeddedDynamoDb({ ...options, onRestart, onSlow, onLost })
  closers.add(() => embedded.stop())
  const connection = { endpoint: embedded.endpoint, region: LOCAL_REGION }
  const client = openDocumentClient(connection)
  closers.add(async () => client.destroy())
  await prepare(client, lost)
  return {
    client,
    connection,
    get pid() {
      return embedded.pid
    },
    onRestart: (listener) => void listeners.push(listener),
    lost,
  }
}
