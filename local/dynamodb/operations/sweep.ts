import { keyBytes } from '../items/keys.ts'
import type { Item } from '../items/value.ts'
import { spaceOf, type Table } from '../storage/table.ts'
import type { Context, Operation } from './operation.ts'
import { storeItem } from './store-item.ts'
import { TOKEN_LIFE_MS } from './transactions.ts'

/** How long a stream keeps a change, as DynamoDB does, milliseconds. */
const CHANGE_LIFE_MS = 24 * 3600_000
/** What ended longer ago stays, as in DynamoDB: it was not meant as a time. Five years, seconds. */
const EXPIRY_SECONDS_MAX = 5 * 365 * 24 * 3600
/** Of each kind at once, so that nobody waits long. */
const LIMIT = 100

/** True when there may be more. */
const removeExpired = (context: Context, table: Table): boolean => {
  if (table.ttlAttribute === undefined) return false
  const now = Math.floor(context.now() / 1000)
  const between = { from: now - EXPIRY_SECONDS_MAX, before: now }
  const expired = context.storage.expired(spaceOf(table), between, LIMIT)
  for (const text of expired) {
    const before = JSON.parse(text) as Item
    storeItem(context, table, { key: keyBytes(table.keys, before), before, after: undefined }, true)
  }
  return expired.length === LIMIT
}

/** Removes what has ended: items by their time to live, changes and tokens by their age. Answers `true` when there may be more. */
export const sweep: Operation = (context) => {
  const now = context.now()
  const more = context.storage.tables().map((table) => removeExpired(context, table))
  more.push(context.storage.trim({ changes: now - CHANGE_LIFE_MS, tokens: now - TOKEN_LIFE_MS }, LIMIT))
  return JSON.stringify(more.includes(true))
}
