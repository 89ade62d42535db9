import { existsSync, renameSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DataDirectoryInUse } from '../errors.ts'
import { unusable } from '../make-directory.ts'
import { makePrivate, tighten } from '../private-file.ts'
import { explainFault } from './faults.ts'
import { type FileState, makeSchema, stateOf } from './schema.ts'
import { Storage } from './storage.ts'
import { type TakenOver, takeOver } from './take-over.ts'

/** How long a database of an earlier release, whose parent was killed, may take to let go of its file, milliseconds. Measured: under 300. */
const RELEASE_TIMEOUT_MS = 3000

const isBusy = (error: unknown): boolean =>
  // SQLITE_BUSY (5) with its extended codes in the higher bytes.
  error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' && (error.errcode & 0xff) === 5

/**
 * Opens a SQLite file for this process alone. The lock is the operating system's: it is gone with the process, however that ends, so
 * there is no stale lock to detect and no race in taking one over. A transaction is open.
 */
export const openAlone = (path: string, settings = ''): DatabaseSync => {
  let database: DatabaseSync | undefined
  try {
    makePrivate(path)
    for (const beside of ['wal', 'shm', 'journal']) tighten(`${path}-${beside}`)
    database = new DatabaseSync(path)
    database.exec(`PRAGMA locking_mode = EXCLUSIVE; ${settings}; BEGIN EXCLUSIVE`)
    return database
  } catch (error) {
    database?.close()
    if (isBusy(error)) throw inUse(dirname(path))
    throw unusable(
      dirname(path),
      `its file ${basename(path)} can't be opened and locked (${explainFault(error)})`,
      error,
    )
  }
}

const inUse = (directory: string): DataDirectoryInUse =>
  new DataDirectoryInUse(
    `The data directory ${directory} is used by another running fedplane. Stop that one, or choose another directory with ` +
      '--data-dir or FEDPLANE_DATA_DIR.',
    { details: { directory } },
  )

const REFUSALS: Readonly<Record<Exclude<FileState, 'empty' | 'current'>, string>> = {
  foreign: 'is a database of another program',
  newer: 'was written by a newer release of fedplane, which this one can not read',
}

/**
 * What is answered as stored must be so after a power cut, too: a cluster's operation has effects elsewhere. FULL waits for the disk once for each turn
 * (`turns.ts`), where NORMAL would not.
 */
const SETTINGS = 'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL'

/** What was copied from which file, and where that lies now. */
export type TakeOverReport = TakenOver & { file: string }

export type DatabaseFile = {
  database: DatabaseSync
  storage: Storage
  takenOver: TakeOverReport | undefined
  /** The file of a former release lies aside: at this start or an earlier one its content was copied. */
  hasFormer: boolean
}

export type FilePaths = {
  path: string
  /** Of a release whose database was dynoxide; it may not be there. */
  former: string
}

const fill = (database: DatabaseSync, former: string): TakenOver | undefined => {
  makeSchema(database)
  if (!existsSync(former)) return undefined
  const old = openAlone(former, `PRAGMA busy_timeout = ${RELEASE_TIMEOUT_MS}`)
  try {
    return takeOver({ storage: new Storage(database), now: Date.now }, old)
  } finally {
    old.close()
  }
}

/** Where a former file lies once it is not needed any more. */
const asideOf = (former: string): string => `${former}.before`

/** A former file is set aside once all of it is stored here; of a kill between the two the next start finds it still there. */
const setAside = (former: string): string | undefined => {
  const aside = asideOf(former)
  if (!existsSync(former) || existsSync(aside)) return undefined
  for (const part of ['-shm', '-wal', '']) {
    if (!existsSync(former + part)) continue
    tighten(former + part)
    renameSync(former + part, aside + part)
  }
  return aside
}

const requireOurs = (path: string, state: FileState): void => {
  if (state === 'empty' || state === 'current') return
  throw unusable(dirname(path), `its file ${basename(path)} ${REFUSALS[state]}`, undefined)
}

const prepare = (database: DatabaseSync, { path, former }: FilePaths): TakenOver | undefined => {
  const state = stateOf(database)
  requireOurs(path, state)
  const taken = state === 'empty' ? fill(database, former) : undefined
  database.exec('COMMIT')
  return taken
}

/** How a fault of preparing is reported: those of our own say it already. */
const explained = (error: unknown, path: string): unknown => {
  if (error instanceof Error && /^DataDirectory/.test(error.name)) return error
  return unusable(dirname(path), `its file ${basename(path)} can't be read or filled (${explainFault(error)})`, error)
}

/**
 * The database in a file, made when it is not there. What a former release has left is copied into it in one transaction: whoever kills that finds
 * everything as it was before.
 *
 * @throws DataDirectoryInUse, DataDirectoryUnusable
 */
export const openDatabaseFile = (paths: FilePaths): DatabaseFile => {
  const database = openAlone(paths.path, SETTINGS)
  try {
    const taken = prepare(database, paths)
    const storage = new Storage(database)
    const file = setAside(paths.former)
    const takenOver = taken && file !== undefined ? { ...taken, file } : undefined
    return { database, storage, takenOver, hasFormer: existsSync(asideOf(paths.former)) }
  } catch (error) {
    database.close()
    throw explained(error, paths.path)
  }
}

/** A database that is gone with its process. */
export const openMemory = (): DatabaseSync => {
  const database = new DatabaseSync(':memory:')
  makeSchema(database)
  return database
}
