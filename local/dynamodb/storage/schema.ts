import type { DatabaseSync } from 'node:sqlite'

/** Of the file. A change of what follows raises it, and brings files of the versions before up to it. */
const FORMAT_VERSION = 1

/** `fpdb`: the file is ours. */
const APPLICATION_ID = 0x66706462

/**
 * `entries` holds items of tables and entries of indexes alike, each by space and key; an entry of an index also has the key of its item (`base_*`,
 * empty for items), so that equal index keys have an order. Keys are bytes that sort as DynamoDB sorts keys. `item` is DynamoDB's JSON, last, since long ones lie on pages of their own.
 */
const SCHEMA = `
CREATE TABLE tables (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  name TEXT NOT NULL UNIQUE,
  definition TEXT NOT NULL
) STRICT;
CREATE TABLE entries (
  id INTEGER PRIMARY KEY,
  space INTEGER NOT NULL,
  hash BLOB NOT NULL,
  sort BLOB NOT NULL,
  base_hash BLOB NOT NULL,
  base_sort BLOB NOT NULL,
  size INTEGER NOT NULL,
  expires INTEGER,
  item TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX entries_by_key ON entries (space, hash, sort, base_hash, base_sort);
CREATE INDEX entries_by_end ON entries (space, expires) WHERE expires IS NOT NULL;
CREATE TABLE changes (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  space INTEGER NOT NULL,
  at INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE INDEX changes_by_table ON changes (space, number);
CREATE TABLE tokens (
  token TEXT PRIMARY KEY,
  digest TEXT NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tokens_by_age ON tokens (at);
`

const numberOf = (database: DatabaseSync, pragma: string): number =>
  Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get() ?? {})[0])

const isEmpty = (database: DatabaseSync): boolean => database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined

export type FileState = 'empty' | 'current' | 'foreign' | 'newer'

/** What a database file is to us. */
export const stateOf = (database: DatabaseSync): FileState => {
  const version = numberOf(database, 'user_version')
  if (numberOf(database, 'application_id') !== APPLICATION_ID) {
    return version === 0 && isEmpty(database) ? 'empty' : 'foreign'
  }
  return version > FORMAT_VERSION ? 'newer' : 'current'
}

/** Makes the tables, within the transaction that is open. */
export const makeSchema = (database: DatabaseSync): void => {
  database.exec(`${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${FORMAT_VERSION}`)
}
