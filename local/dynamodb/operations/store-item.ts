import { equalItems } from '../items/compare.ts'
import { attributesOf, belongsTo, type KeyBytes, keyBytes, pickKeys } from '../items/keys.ts'
import { sizeOf } from '../items/size.ts'
import { emptyItem, type Item, own } from '../items/value.ts'
import type { Entry } from '../storage/storage.ts'
import { type Index, indexSpaceOf, spaceOf, type Table } from '../storage/table.ts'
import { writeUnits } from './capacity.ts'
import type { Context } from './operation.ts'

/** One item before and after; undefined: it is not there. */
export type ItemChange = { key: KeyBytes; before: Item | undefined; after: Item | undefined }

/** An item as an index shows it. */
const projected = (table: Table, { keys, projection }: Index, item: Item): Item => {
  if (projection.type === 'ALL') return item
  const part = Object.assign(emptyItem(), pickKeys(item, attributesOf(table.keys)), pickKeys(item, attributesOf(keys)))
  for (const name of projection.type === 'INCLUDE' ? projection.attributes : []) {
    const value = own(item, name)
    if (value !== undefined) part[name] = value
  }
  return part
}

const entryOf = (table: Table, index: Index, base: KeyBytes, item: Item | undefined): Entry | undefined => {
  if (item === undefined || !belongsTo(index, item)) return undefined
  const shown = projected(table, index, item)
  return { key: keyBytes(index.keys, item), base, size: sizeOf(shown), item: JSON.stringify(shown) }
}

const isSamePlace = (one: Entry, other: Entry): boolean =>
  one.key.hash.equals(other.key.hash) && one.key.sort.equals(other.key.sort)

/** Brings an index up to date; the units that DynamoDB counts for it: two when the entry moves. */
const storeEntry = (context: Context, space: number, before: Entry | undefined, after: Entry | undefined): number => {
  if (before && after && isSamePlace(before, after) && before.item === after.item) return 0
  const moved = before !== undefined && !(after && isSamePlace(before, after))
  if (before && moved) context.storage.delete(space, before)
  if (after) context.storage.put(space, after)
  return (before && moved ? writeUnits(before.size) : 0) + (after ? writeUnits(after.size) : 0)
}

const storeIndexes = (context: Context, table: Table, { key, before, after }: ItemChange): number =>
  table.indexes.reduce((units, index, position) => {
    const entries = [before, after].map((item) => entryOf(table, index, key, item))
    return units + storeEntry(context, indexSpaceOf(table, position), entries[0], entries[1])
  }, 0)

/** Epoch seconds after which an item may be removed; undefined when it stays. */
export const expiryOf = ({ ttlAttribute }: Pick<Table, 'ttlAttribute'>, item: Item): number | undefined => {
  const text = ttlAttribute === undefined ? undefined : own(item, ttlAttribute)?.N
  const seconds = Math.floor(Number(text))
  return text === undefined || !Number.isSafeInteger(seconds) ? undefined : seconds
}

const imagesOf = (viewType: string, { before, after }: ItemChange) => ({
  ...(after && /^NEW/.test(viewType) ? { NewImage: after } : {}),
  ...(before && /OLD_IMAGE/.test(viewType) ? { OldImage: before } : {}),
})

/** Who removed an item, when nobody asked for it. */
const BY_TTL = { userIdentity: { Type: 'Service', PrincipalId: 'dynamodb.amazonaws.com' } }

const record = (context: Context, table: Table, change: ItemChange, isExpiry: boolean): void => {
  const { before, after } = change
  const item = after ?? before
  if (table.stream === undefined || item === undefined) return
  const eventName = before === undefined ? 'INSERT' : after ? 'MODIFY' : 'REMOVE'
  const text = JSON.stringify({
    eventName,
    Keys: pickKeys(item, attributesOf(table.keys)),
    ...imagesOf(table.stream.viewType, change),
    ...(isExpiry ? BY_TTL : {}),
  })
  context.storage.addChange(spaceOf(table), { at: context.now(), record: text })
}

/** Stores an item with its entries in indexes and its record in the stream; the units that DynamoDB counts: of the item, and of indexes. */
export const storeItem = (
  context: Context,
  table: Table,
  change: ItemChange,
  isExpiry = false,
): { item: number; indexes: number } => {
  const { key, before, after } = change
  const sizes = [before, after].map((item) => (item === undefined ? 0 : sizeOf(item)))
  const item = writeUnits(Math.max(...sizes))
  // As on AWS, a write that changes nothing leaves no trace.
  if (before === after || (before && after && equalItems(before, after))) return { item, indexes: 0 }
  const space = spaceOf(table)
  if (after === undefined) context.storage.delete(space, { key })
  else {
    const entry = { key, size: sizes[1] ?? 0, expires: expiryOf(table, after), item: JSON.stringify(after) }
    context.storage.put(space, entry)
  }
  const indexes = storeIndexes(context, table, change)
  record(context, table, change, isExpiry)
  return { item, indexes }
}
