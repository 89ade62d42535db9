import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Logger } from '../functions/core/ports.ts'
import { openDocumentClient } from '../functions/store/dynamodb/request.ts'
import { atEndpoint, type Connection } from './dynamodb/connection.ts'
import { type EmbeddedDynamoDb, openEmbeddedDynamoDb } from './dynamodb/embedded-dynamodb.ts'
import { ensureTable } from './dynamodb/ensure-table.ts'
import { explainFault } from './dynamodb/storage/faults.ts'
import { createExecutionTable } from './engine/execution-table.ts'

/** Name of the stores' table. */
export const TABLE = 'fedplane'

export type Database = {
  client: DynamoDBDocumentClient
  connection: Connection
  /** Nobody else writes it, and some of it may be of a former release. */
  hasFormer: boolean
}

const logTakeOver = (log: Logger, { takenOver }: EmbeddedDynamoDb): void => {
  if (takenOver === undefined) return
  log.warn('the database of a former release was copied; its file is kept aside, and not needed any more', takenOver)
}

/** Between two lines about faults, milliseconds: a full disk is one for each request. */
const FAULT_PAUSE_MS = 60_000

/** `opened`: what is open, to be closed in the opposite order. */
type Around = { opened: AsyncDisposableStack; log: Logger }

const embedded = (dataDir: string, { opened, log }: Around): EmbeddedDynamoDb => {
  let told = Number.NEGATIVE_INFINITY
  const onFault = (error: unknown): void => {
    if (performance.now() - told < FAULT_PAUSE_MS) return
    told = performance.now()
    log.error('the embedded database failed', { fault: explainFault(error), dataDir, error })
  }
  const database = openEmbeddedDynamoDb({ dataDir, onFault })
  opened.defer(() => database.stop())
  logTakeOver(log, database)
  return database
}

/** An embedded database is there at once, so that a second attempt at a request would meet what the first one met. */
const ATTEMPTS_IN_PROCESS = 1

/**
 * The database with its tables, ready to use.
 *
 * @throws DataDirectoryInUse, DataDirectoryUnusable
 */
export const openDatabase = async (
  { dataDir, endpoint = '' }: { dataDir: string; endpoint: string | undefined },
  around: Around,
): Promise<Database> => {
  const isElsewhere = endpoint !== ''
  const { connection, hasFormer } = isElsewhere
    ? { connection: atEndpoint(endpoint), hasFormer: false }
    : embedded(dataDir, around)
  const client = openDocumentClient({ ...connection, ...(isElsewhere ? {} : { maxAttempts: ATTEMPTS_IN_PROCESS }) })
  around.opened.defer(() => client.destroy())
  await Promise.all([ensureTable(client, TABLE), createExecutionTable(client)])
  return { client, connection, hasFormer }
}
