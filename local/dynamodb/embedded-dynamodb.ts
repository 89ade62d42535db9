import { join } from 'node:path'
import { type Connection, inProcess } from './connection.ts'
import { makeDataDirectory } from './make-directory.ts'
import { sweep } from './operations/sweep.ts'
import { requestHandler } from './request-handler.ts'
import { RequestQueue } from './request-queue.ts'
import {
  type DatabaseFile,
  openAlone,
  openDatabaseFile,
  openMemory,
  type TakeOverReport,
} from './storage/database-file.ts'
import { Storage } from './storage/storage.ts'

type DataDirectory = DatabaseFile & {
  /** Closes the database and lets others use the directory. */
  release(): void
}

/**
 * Takes a data directory for this process: made when absent (0700), its files for its user only (0600). `lock.db` is what releases before this
 * database check.
 *
 * @throws DataDirectoryInUse while another process has it; DataDirectoryUnusable
 */
export const takeDataDirectory = (directory: string): DataDirectory => {
  makeDataDirectory(directory)
  const lock = openAlone(join(directory, 'lock.db'))
  try {
    const paths = { path: join(directory, 'database.db'), former: join(directory, 'fedplane.db') }
    const file = openDatabaseFile(paths)
    return {
      ...file,
      release: () => {
        file.database.close()
        lock.close()
      },
    }
  } catch (error) {
    lock.close()
    throw error
  }
}

export type EmbeddedDynamoDbOptions = {
  /** Undefined: in memory only. */
  dataDir: string | undefined
  /** Told of faults of the file, and of our own: requests of that time were answered with them. */
  onFault?: (error: unknown) => void
}

export type EmbeddedDynamoDb = {
  /** For clients of this process; nobody else reaches it. */
  connection: Connection
  /** What was copied from the database of a former release, at this start. */
  takenOver: TakeOverReport | undefined
  /** Some of its content may be of a former release. */
  hasFormer: boolean
  /** Ends it. Can be called twice. */
  stop(): void
}

/** Between looks for what has ended, milliseconds. DynamoDB promises days. */
const SWEEP_MS = 10 * 60_000

const sweepNow = async (queue: RequestQueue, isOver: () => boolean): Promise<void> => {
  while (!isOver() && (await queue.run(sweep, undefined)) === 'true');
}

type Opened = DatabaseFile & { release(): void }

const open = (dataDir: string | undefined): Opened => {
  if (dataDir !== undefined) return takeDataDirectory(dataDir)
  const database = openMemory()
  return {
    database,
    storage: new Storage(database),
    takenOver: undefined,
    hasFormer: false,
    release: () => database.close(),
  }
}

/**
 * DynamoDB in this process, over SQLite. One in memory removes nothing by its time to live: its items are of tests, whose clocks are their own.
 *
 * @throws DataDirectoryInUse, DataDirectoryUnusable
 */
export const openEmbeddedDynamoDb = ({
  dataDir,
  onFault = () => undefined,
}: EmbeddedDynamoDbOptions): EmbeddedDynamoDb => {
  const { database, storage, takenOver, hasFormer, release } = open(dataDir)
  const context = { storage, now: Date.now }
  const queue = new RequestQueue({ database, context, onFault })
  let isOver = false
  // Its faults were reported by the turn that met them.
  const look = (): void => void sweepNow(queue, () => isOver).catch(() => undefined)
  const timer = dataDir === undefined ? undefined : setInterval(look, SWEEP_MS).unref()
  return {
    connection: inProcess(requestHandler(queue)),
    takenOver,
    hasFormer,
    stop: () => {
      if (isOver) return
      isOver = true
      clearInterval(timer)
      queue.close()
      release()
    },
  }
}
