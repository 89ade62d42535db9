import type { KeyAttribute, KeySchema } from '../items/keys.ts'

/** Where the items of a table, or the entries of an index, lie in the file. */
export type Space = number

export type Projection = { type: 'ALL' } | { type: 'KEYS_ONLY' } | { type: 'INCLUDE'; attributes: string[] }

export type Index = { name: string; keys: KeySchema; projection: Projection }

/** `arn`: of a stream that was taken over, since positions in it are kept under its name. */
export type Stream = { viewType: string; label: string; shardId: string; arn?: string }

/** What `CreateTable` and `UpdateTimeToLive` have said, as it is stored. */
export type TableDefinition = {
  name: string
  /** ISO 8601. */
  createdAt: string
  keys: KeySchema
  attributes: KeyAttribute[]
  indexes: Index[]
  stream?: Stream
  ttlAttribute?: string
}

export type Table = TableDefinition & { id: number }

/** Indexes that a table may have at most: DynamoDB has 20. */
const SPACES_PER_TABLE = 32

export const spaceOf = ({ id }: Table): Space => id * SPACES_PER_TABLE

/** @param position in the table's list, from 0 */
export const indexSpaceOf = ({ id }: Table, position: number): Space => id * SPACES_PER_TABLE + 1 + position

/** First and last space of a table and its indexes. */
export const spacesOf = ({ id }: Table): [Space, Space] => [id * SPACES_PER_TABLE, (id + 1) * SPACES_PER_TABLE - 1]
