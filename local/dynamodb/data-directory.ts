import { basename, dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DataDirectoryInUse } from './errors.ts'
import { makeDataDirectory, unusable } from './make-directory.ts'
import { makePrivate, tighten } from './private-file.ts'

/** How long an embedded database whose parent was killed may take to let go of its file, milliseconds. Measured: under 300. */
const RELEASE_PATIENCE_MS = 3000

const isBusy = (error: unknown): boolean =>
  // SQLITE_BUSY (5) with its extended codes in the higher bytes.
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === 5

/**
 * Opens a SQLite file for this process alone. The lock is the operating system's: it is gone with the process, however that ends, so
 * there is no stale lock to detect and no race in taking one over.
 */
const openAlone = (path: string, patienceMs: number): DatabaseSync | undefined => {
  let database: DatabaseSync | undefined
  try {
    makePrivate(path)
    for (const beside of ['wal', 'shm', 'journal']) tighten(`${path}-${beside}`)
    database = new DatabaseSync(path)
    database.exec(`PRAGMA busy_timeout = ${patienceMs}; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE`)
    return database
  } catch (error) {
    database?.close()
    if (isBusy(error)) return undefined
    const fault = error instanceof Error ? error.message : String(error)
    throw unusable(dirname(path), `its file ${basename(path)} can't be opened and locked (${fault})`, error)
  }
}

const inUse = (directory: string): DataDirectoryInUse =>
  new DataDirectoryInUse(
    `The data directory ${directory} is used by another running fedplane. Stop that one, or choose another directory with ` +
      '--data-dir or FEDPLANE_DATA_DIR.',
    { details: { directory } },
  )

export type DataDirectory = {
  /** The database's file. */
  databasePath: string
  /** Lets others use the directory. */
  release(): void
}

/**
 * Takes a data directory for this process: made when absent (0700), its files for its user only (0600).
 *
 * @throws DataDirectoryInUse while another process has it; DataDirectoryUnusable
 */
export const takeDataDirectory = (directory: string): DataDirectory => {
  makeDataDirectory(directory)
  const lock = openAlone(join(directory, 'lock.db'), 0)
  if (lock === undefined) throw inUse(directory)
  const release = (): void => lock.close()
  const databasePath = join(directory, 'fedplane.db')
  try {
    // The database of a killed process may need a moment more to end.
    const database = openAlone(databasePath, RELEASE_PATIENCE_MS)
    if (database === undefined) throw inUse(directory)
    database.close()
    return { databasePath, release }
  } catch (error) {
    release()
    throw error
  }
}
