import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import { checkItem } from '../items/check-item.ts'
import { keyBytes } from '../items/keys.ts'
import type { Item } from '../items/value.ts'
import type { Context } from '../operations/operation.ts'
import { storeItem } from '../operations/store-item.ts'
import { createTable } from '../operations/tables.ts'
import { spaceOf, type Table } from './table.ts'

const json = z.string().transform((text) => JSON.parse(text))

/** What dynoxide 1.2.1 wrote of a table. */
const tableRow = z.object({
  table_name: z.string(),
  key_schema: json,
  attribute_definitions: json,
  gsi_definitions: json.nullable(),
  stream_enabled: z.number(),
  stream_view_type: z.string().nullable(),
  stream_label: z.string().nullable(),
  ttl_attribute: z.string().nullable(),
  ttl_enabled: z.number(),
  created_at: z.number(),
})

type TableRow = z.infer<typeof tableRow>

/** It kept binary values as base64, keys as columns beside, and images only where the stream has them. */
const changeRow = z.object({
  event_name: z.string(),
  keys_json: json,
  new_image: json.nullable(),
  old_image: json.nullable(),
  sequence_number: z.string().regex(/^\d{1,15}$/),
  created_at: z.number(),
  user_identity: json.nullable(),
})

const OF_ONE_SHARD = (tableName: string): string => `shardId-00000001-${tableName}`

const streamOf = (row: TableRow): Pick<Table, 'stream'> =>
  row.stream_enabled === 1 && row.stream_label !== null
    ? {
        stream: {
          viewType: row.stream_view_type ?? 'KEYS_ONLY',
          label: row.stream_label,
          shardId: OF_ONE_SHARD(row.table_name),
          // Positions of readers are kept under the stream's name.
          arn: `arn:aws:dynamodb:dynoxide:000000000000:table/${row.table_name}/stream/${row.stream_label}`,
        },
      }
    : {}

const takeTable = (context: Context, row: TableRow): Table => {
  createTable(context, {
    TableName: row.table_name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: row.attribute_definitions,
    KeySchema: row.key_schema,
    ...(row.gsi_definitions ? { GlobalSecondaryIndexes: row.gsi_definitions } : {}),
  })
  const made = context.storage.table(row.table_name) as Table
  return {
    ...made,
    createdAt: new Date(row.created_at * 1000).toISOString(),
    ...(row.ttl_enabled === 1 && row.ttl_attribute !== null ? { ttlAttribute: row.ttl_attribute } : {}),
  }
}

const takeItems = (context: Context, old: DatabaseSync, table: Table): number => {
  let count = 0
  for (const row of old.prepare(`SELECT item_json FROM "${table.name.replaceAll('"', '""')}"`).iterate()) {
    const after = checkItem(JSON.parse(String(row.item_json)) as Item)
    // Without its stream: nothing changes now.
    const { stream: _, ...silent } = table
    storeItem(context, silent, { key: keyBytes(table.keys, after), before: undefined, after })
    count += 1
  }
  return count
}

const takeChanges = ({ storage }: Context, old: DatabaseSync, table: Table): void => {
  const rows = old.prepare('SELECT * FROM _stream_records WHERE table_name = ? ORDER BY id').iterate(table.name)
  for (const found of rows) {
    const row = changeRow.parse(found)
    const record = JSON.stringify({
      eventName: row.event_name,
      Keys: row.keys_json,
      ...(row.new_image ? { NewImage: row.new_image } : {}),
      ...(row.old_image ? { OldImage: row.old_image } : {}),
      ...(row.user_identity ? { userIdentity: row.user_identity } : {}),
    })
    storage.addChange(spaceOf(table), { number: Number(row.sequence_number), at: row.created_at * 1000, record })
  }
}

/** At least as high as any number of a change that there was, also of those that are forgotten. */
const highestChange = (old: DatabaseSync): number =>
  Number(old.prepare("SELECT seq FROM sqlite_sequence WHERE name = '_stream_records'").get()?.seq ?? 0)

export type TakenOver = { tables: number; items: number }

/**
 * Copies the tables of a dynoxide database, with items, indexes, time to live, and the stream with its name and numbers: whoever reads that goes on
 * where it was. Within the transaction that is open.
 *
 * @throws what SQLite throws, and ZodError or DynamoError for what dynoxide never wrote
 */
export const takeOver = (context: Context, old: DatabaseSync): TakenOver => {
  const rows = old
    .prepare('SELECT * FROM _tables ORDER BY table_name')
    .all()
    .map((row) => tableRow.parse(row))
  let items = 0
  for (const row of rows) {
    const table = takeTable(context, row)
    items += takeItems(context, old, table)
    const streamed = { ...table, ...streamOf(row) }
    if (streamed.stream) takeChanges(context, old, streamed)
    context.storage.changeTable(streamed)
  }
  context.storage.skipChanges(highestChange(old))
  return { tables: rows.length, items }
}
