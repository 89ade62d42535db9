import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { KeyRange } from '../expressions/key-condition.ts'
import { type KeyBytes, NO_BYTES } from '../items/keys.ts'
import { type Space, spacesOf, type Table, type TableDefinition } from './table.ts'

/** An item of a table, or an entry of an index with the key of its item. */
export type Entry = { key: KeyBytes; base?: KeyBytes; size: number; expires?: number | undefined; item: string }

/** Where a read begins: behind this entry. */
export type Position = { key: KeyBytes; base?: KeyBytes | undefined }

export type Change = { number: number; at: number; record: string }

type Row = {
  hash: Uint8Array
  sort: Uint8Array
  base_hash: Uint8Array
  base_sort: Uint8Array
  size: number
  item: string
}

const NO_KEY: KeyBytes = { hash: NO_BYTES, sort: NO_BYTES }

const parts = ({ key, base = NO_KEY }: Position): Buffer[] => [key.hash, key.sort, base.hash, base.sort]

/** The database file as DynamoDB's operations need it. Synchronous; whoever calls it holds the transaction. */
export class Storage {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, StatementSync>()
  /** Those of `#entries` that nobody iterates just now. */
  readonly #idle = new Map<string, StatementSync[]>()
  readonly #tables = new Map<string, Table>()

  constructor(database: DatabaseSync) {
    this.#database = database
    this.forget()
  }

  /** Reads the tables again: after a transaction that was rolled back. */
  forget(): void {
    this.#tables.clear()
    const rows = this.#prepared('SELECT id, name, definition FROM tables ORDER BY name').all()
    for (const { id, name, definition } of rows) {
      this.#tables.set(String(name), { ...JSON.parse(String(definition)), id: Number(id) })
    }
  }

  table(name: string): Table | undefined {
    return this.#tables.get(name)
  }

  /** By name. */
  tables(): Table[] {
    return [...this.#tables.values()].sort((one, other) => (one.name < other.name ? -1 : 1))
  }

  addTable(definition: TableDefinition): Table {
    const { lastInsertRowid } = this.#run('INSERT INTO tables (name, definition) VALUES (?, ?)', [
      definition.name,
      JSON.stringify(definition),
    ])
    const table = { ...definition, id: Number(lastInsertRowid) }
    this.#tables.set(table.name, table)
    return table
  }

  changeTable(table: Table): void {
    const { id, ...definition } = table
    this.#run('UPDATE tables SET definition = ? WHERE id = ?', [JSON.stringify(definition), id])
    this.#tables.set(table.name, table)
  }

  removeTable(table: Table): void {
    for (const from of ['entries', 'changes']) {
      this.#run(`DELETE FROM ${from} WHERE space BETWEEN ? AND ?`, spacesOf(table))
    }
    this.#run('DELETE FROM tables WHERE id = ?', [table.id])
    this.#tables.delete(table.name)
  }

  /** The JSON of an item, and what it counts, bytes. */
  get(space: Space, { hash, sort }: KeyBytes): { item: string; size: number } | undefined {
    const row = this.#prepared(
      "SELECT item, size FROM entries WHERE space = ? AND hash = ? AND sort = ? AND base_hash = x'' AND base_sort = x''",
    ).get(space, hash, sort)
    return row && { item: String(row.item), size: Number(row.size) }
  }

  put(space: Space, entry: Entry): void {
    this.#run(
      `INSERT INTO entries (space, hash, sort, base_hash, base_sort, size, expires, item) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (space, hash, sort, base_hash, base_sort)
       DO UPDATE SET size = excluded.size, expires = excluded.expires, item = excluded.item`,
      [space, ...parts(entry), entry.size, entry.expires ?? null, entry.item],
    )
  }

  delete(space: Space, position: Position): void {
    this.#run('DELETE FROM entries WHERE space = ? AND hash = ? AND sort = ? AND base_hash = ? AND base_sort = ?', [
      space,
      ...parts(position),
    ])
  }

  /** Entries of one partition in the order of their keys, or against it. Read as they are taken. */
  *query(space: Space, range: KeyRange, from: { after?: Position | undefined; backward?: boolean }): Generator<Entry> {
    const { hash, low, high } = range
    const where = ['space = ? AND hash = ? AND sort >= ?']
    const values: SQLInputValue[] = [space, hash, low]
    if (high !== undefined) {
      where.push('sort < ?')
      values.push(high)
    }
    if (from.after) {
      const [, ...rest] = parts(from.after)
      where.push(`(sort, base_hash, base_sort) ${from.backward ? '<' : '>'} (?, ?, ?)`)
      values.push(...rest)
    }
    const order = ['sort', 'base_hash', 'base_sort'].map((column) => `${column}${from.backward ? ' DESC' : ''}`)
    yield* this.#entries(`${where.join(' AND ')} ORDER BY ${order.join(', ')}`, values)
  }

  /** All entries in the order of their keys. */
  *scan(space: Space, after: Position | undefined): Generator<Entry> {
    const order = 'hash, sort, base_hash, base_sort'
    const beyond = after ? ` AND (${order}) > (?, ?, ?, ?)` : ''
    yield* this.#entries(`space = ?${beyond} ORDER BY ${order}`, [space, ...(after ? parts(after) : [])])
  }

  count(space: Space): number {
    return Number(this.#prepared('SELECT count(*) AS count FROM entries WHERE space = ?').get(space)?.count)
  }

  /** Items whose time to live ended within a time, epoch seconds. */
  expired(space: Space, { from, before }: { from: number; before: number }, limit: number): string[] {
    const rows = this.#prepared(
      'SELECT item FROM entries WHERE space = ? AND expires >= ? AND expires < ? LIMIT ?',
    ).all(space, from, before, limit)
    return rows.map(({ item }) => String(item))
  }

  /** @param number of a change that is taken over; else the next one */
  addChange(space: Space, { at, record, number }: { at: number; record: string; number?: number }): void {
    this.#run('INSERT INTO changes (number, space, at, record) VALUES (?, ?, ?, ?)', [
      number ?? null,
      space,
      at,
      record,
    ])
  }

  /** Gives later changes higher numbers than this. */
  skipChanges(number: number): void {
    if (number <= this.lastChange()) return
    this.addChange(0, { at: 0, record: '', number })
    this.#run('DELETE FROM changes WHERE number = ?', [number])
  }

  /** Changes with this number or a higher one, in order. */
  changes(space: Space, from: number, limit: number): Change[] {
    const rows = this.#prepared(
      'SELECT number, at, record FROM changes WHERE space = ? AND number >= ? ORDER BY number LIMIT ?',
    ).all(space, from, limit)
    return rows.map(({ number, at, record }) => ({ number: Number(number), at: Number(at), record: String(record) }))
  }

  /** Number of the first change that is still kept. */
  firstChange(space: Space): number | undefined {
    const row = this.#prepared('SELECT min(number) AS number FROM changes WHERE space = ?').get(space)
    return row?.number === null ? undefined : Number(row?.number)
  }

  /** Of all tables together; 0 before the first. Numbers are never given twice. */
  lastChange(): number {
    return Number(this.#prepared("SELECT seq FROM sqlite_sequence WHERE name = 'changes'").get()?.seq ?? 0)
  }

  /** Digest of what a token was used for, since then (epoch milliseconds). */
  token(token: string, since: number): string | undefined {
    const row = this.#prepared('SELECT digest FROM tokens WHERE token = ? AND at >= ?').get(token, since)
    return row && String(row.digest)
  }

  addToken(token: string, digest: string, at: number): void {
    this.#run('INSERT OR REPLACE INTO tokens (token, digest, at) VALUES (?, ?, ?)', [token, digest, at])
  }

  /** Forgets changes and tokens from before, epoch milliseconds; at most `limit` of each. True when there may be more. */
  trim(before: { changes: number; tokens: number }, limit: number): boolean {
    const trimmed = [
      this.#run('DELETE FROM changes WHERE number IN (SELECT number FROM changes ORDER BY number LIMIT ?) AND at < ?', [
        limit,
        before.changes,
      ]),
      this.#run('DELETE FROM tokens WHERE token IN (SELECT token FROM tokens WHERE at < ? LIMIT ?)', [
        before.tokens,
        limit,
      ]),
    ]
    return trimmed.some(({ changes }) => changes === limit)
  }

  *#entries(where: string, values: readonly SQLInputValue[]): Generator<Entry> {
    // One that nobody else iterates: a generator that waits would share its state with the next.
    const idle = this.#idle.get(where) ?? []
    this.#idle.set(where, idle)
    const statement =
      idle.pop() ??
      this.#database.prepare(`SELECT hash, sort, base_hash, base_sort, size, item FROM entries WHERE ${where}`)
    try {
      for (const row of statement.iterate(...values) as Iterable<unknown> as Iterable<Row>) {
        yield {
          key: { hash: Buffer.from(row.hash), sort: Buffer.from(row.sort) },
          base: { hash: Buffer.from(row.base_hash), sort: Buffer.from(row.base_sort) },
          size: row.size,
          item: row.item,
        }
      }
    } finally {
      idle.push(statement)
    }
  }

  #run(sql: string, values: readonly SQLInputValue[]) {
    return this.#prepared(sql).run(...values)
  }

  #prepared(sql: string): StatementSync {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = this.#database.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }
}
