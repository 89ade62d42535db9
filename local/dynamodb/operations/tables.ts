import * as z from 'zod'
import { DynamoError, invalid } from '../dynamo-error.ts'
import type { KeyAttribute, KeySchema } from '../items/keys.ts'
import type { Item } from '../items/value.ts'
import type { Entry } from '../storage/storage.ts'
import { type Index, type Projection, spaceOf, type Table, type TableDefinition } from '../storage/table.ts'
import { type Context, operation, requireTable } from './operation.ts'
import { expiryOf } from './store-item.ts'

const keySchema = z.array(z.strictObject({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }))

const createSchema = z.strictObject({
  TableName: z.string().regex(/^[a-zA-Z0-9_.-]{3,255}$/),
  BillingMode: z.enum(['PAY_PER_REQUEST']),
  AttributeDefinitions: z.array(z.strictObject({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema: keySchema,
  GlobalSecondaryIndexes: z
    .array(
      z.strictObject({
        IndexName: z.string().regex(/^[a-zA-Z0-9_.-]{3,255}$/),
        KeySchema: keySchema,
        Projection: z.strictObject({
          ProjectionType: z.enum(['ALL', 'KEYS_ONLY', 'INCLUDE']),
          NonKeyAttributes: z.array(z.string()).optional(),
        }),
      }),
    )
    .max(20)
    .optional(),
  StreamSpecification: z
    .strictObject({
      StreamEnabled: z.boolean(),
      StreamViewType: z.enum(['KEYS_ONLY', 'NEW_IMAGE', 'OLD_IMAGE', 'NEW_AND_OLD_IMAGES']).optional(),
    })
    .optional(),
})

type CreateInput = z.infer<typeof createSchema>

const keysOf = (schema: z.infer<typeof keySchema>, attributes: readonly KeyAttribute[]): KeySchema => {
  const find = (type: 'HASH' | 'RANGE'): KeyAttribute | undefined => {
    const name = schema.find(({ KeyType }) => KeyType === type)?.AttributeName
    const attribute = attributes.find((it) => it.name === name)
    if (name !== undefined && attribute === undefined) {
      throw invalid(
        `One or more parameter values were invalid: Some index key attributes are not defined in AttributeDefinitions. Keys: [${name}]`,
      )
    }
    return attribute
  }
  const [hash, range] = [find('HASH'), find('RANGE')]
  if (hash === undefined || schema.length > 2 || (schema.length === 2 && range === undefined)) {
    throw invalid('Invalid KeySchema: one HASH key, and at most one RANGE key')
  }
  return range ? { hash, range } : { hash }
}

type Indexes = NonNullable<CreateInput['GlobalSecondaryIndexes']>

const indexOf = (
  { IndexName, KeySchema: schema, Projection: given }: Indexes[number],
  attributes: readonly KeyAttribute[],
): Index => {
  const projection: Projection =
    given.ProjectionType === 'INCLUDE'
      ? { type: 'INCLUDE', attributes: given.NonKeyAttributes ?? [] }
      : { type: given.ProjectionType }
  return { name: IndexName, keys: keysOf(schema, attributes), projection }
}

/** Of the only shard; its name is the one that dynoxide gave it, so that taken over positions hold. */
const shardIdOf = (tableName: string): string => `shardId-00000001-${tableName}`

const definitionOf = (input: CreateInput, createdAt: string): TableDefinition => {
  const attributes = input.AttributeDefinitions.map(({ AttributeName: name, AttributeType: type }) => ({ name, type }))
  const { StreamEnabled: isStreamed, StreamViewType: viewType = 'KEYS_ONLY' } = input.StreamSpecification ?? {}
  return {
    name: input.TableName,
    createdAt,
    attributes,
    keys: keysOf(input.KeySchema, attributes),
    indexes: (input.GlobalSecondaryIndexes ?? []).map((index) => indexOf(index, attributes)),
    ...(isStreamed ? { stream: { viewType, label: createdAt, shardId: shardIdOf(input.TableName) } } : {}),
  }
}

const ARN = 'arn:aws:dynamodb:local:000000000000:table/'

const tableArn = ({ name }: Pick<Table, 'name'>): string => `${ARN}${name}`

/** Undefined when it has none. */
export const streamArn = (table: Table): string | undefined =>
  table.stream && (table.stream.arn ?? `${tableArn(table)}/stream/${table.stream.label}`)

const describeKeys = ({ hash, range }: KeySchema) => [
  { AttributeName: hash.name, KeyType: 'HASH' },
  ...(range ? [{ AttributeName: range.name, KeyType: 'RANGE' }] : []),
]

const describeIndex = (table: Table, { name, keys, projection }: Index) => ({
  IndexName: name,
  IndexArn: `${tableArn(table)}/index/${name}`,
  IndexStatus: 'ACTIVE',
  KeySchema: describeKeys(keys),
  Projection: {
    ProjectionType: projection.type,
    ...(projection.type === 'INCLUDE' ? { NonKeyAttributes: projection.attributes } : {}),
  },
})

const describe = ({ storage }: Context, table: Table) => ({
  TableName: table.name,
  TableArn: tableArn(table),
  TableStatus: 'ACTIVE',
  CreationDateTime: Date.parse(table.createdAt) / 1000,
  BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
  ItemCount: storage.count(spaceOf(table)),
  AttributeDefinitions: table.attributes.map(({ name, type }) => ({ AttributeName: name, AttributeType: type })),
  KeySchema: describeKeys(table.keys),
  ...(table.indexes.length === 0
    ? {}
    : { GlobalSecondaryIndexes: table.indexes.map((index) => describeIndex(table, index)) }),
  ...(table.stream
    ? {
        StreamSpecification: { StreamEnabled: true, StreamViewType: table.stream.viewType },
        LatestStreamLabel: table.stream.label,
        LatestStreamArn: streamArn(table),
      }
    : {}),
})

export const createTable = operation('CreateTable', createSchema, (context, input) => {
  if (context.storage.table(input.TableName)) {
    throw new DynamoError('ResourceInUseException', `Table already exists: ${input.TableName}`)
  }
  const table = context.storage.addTable(definitionOf(input, new Date(context.now()).toISOString()))
  return { TableDescription: describe(context, table) }
})

const named = z.strictObject({ TableName: z.string() })

const requireKnown = (context: Context, name: string): Table => {
  const table = context.storage.table(name)
  if (table) return table
  throw new DynamoError('ResourceNotFoundException', `Requested resource not found: Table: ${name} not found`)
}

export const describeTable = operation('DescribeTable', named, (context, { TableName: name }) => ({
  Table: describe(context, requireKnown(context, name)),
}))

export const deleteTable = operation('DeleteTable', named, (context, { TableName: name }) => {
  const table = requireKnown(context, name)
  const description = describe(context, table)
  context.storage.removeTable(table)
  return { TableDescription: { ...description, TableStatus: 'DELETING' } }
})

const listTablesSchema = z.strictObject({ Limit: z.int().min(1).max(100).optional() })

export const listTables = operation('ListTables', listTablesSchema, ({ storage }, { Limit: limit = 100 }) => {
  const names = storage.tables().map(({ name }) => name)
  const page = names.slice(0, limit)
  return { TableNames: page, ...(names.length > limit ? { LastEvaluatedTableName: page.at(-1) } : {}) }
})

export const describeTimeToLive = operation('DescribeTimeToLive', named, (context, { TableName: name }) => {
  const { ttlAttribute } = requireTable(context, name)
  const on = ttlAttribute === undefined ? {} : { AttributeName: ttlAttribute }
  return { TimeToLiveDescription: { TimeToLiveStatus: ttlAttribute === undefined ? 'DISABLED' : 'ENABLED', ...on } }
})

const updateTtl = z.strictObject({
  TableName: z.string(),
  TimeToLiveSpecification: z.strictObject({ AttributeName: z.string().min(1), Enabled: z.literal(true) }),
})

/** Notes when the items end that are there already. */
const noteExpiries = ({ storage }: Context, table: Table): void => {
  const items = [...storage.scan(spaceOf(table), undefined)]
  for (const { key, size, item } of items as Entry[]) {
    const expires = expiryOf(table, JSON.parse(item) as Item)
    if (expires !== undefined) storage.put(spaceOf(table), { key, size, expires, item })
  }
}

export const updateTimeToLive = operation('UpdateTimeToLive', updateTtl, (context, input) => {
  const table = requireTable(context, input.TableName)
  if (table.ttlAttribute !== undefined) throw invalid('TimeToLive is already enabled')
  const changed = { ...table, ttlAttribute: input.TimeToLiveSpecification.AttributeName }
  context.storage.changeTable(changed)
  noteExpiries(context, changed)
  return { TimeToLiveSpecification: input.TimeToLiveSpecification }
})
