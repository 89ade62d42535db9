import { isDeepStrictEqual } from 'node:util'
import {
  type AttributeValue,
  CreateTableCommand,
  DeleteItemCommand,
  DynamoDBClient,
  type DynamoDBClientConfig,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ResourceInUseException,
  ScanCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { normalizeNumber } from '../../../local/dynamodb/items/number.ts'
import type { Command, Expression, ListCommand, TableName, Write } from './commands.ts'

type Item = Record<string, AttributeValue>

const SORT_TYPES: Record<TableName, 'S' | 'N' | 'B'> = {
  'texts-table': 'S',
  'numbers-table': 'N',
  'binaries-table': 'B',
}
const TABLE_NAMES = Object.keys(SORT_TYPES) as TableName[]

const index = (IndexName: string, projection: 'ALL' | 'KEYS_ONLY') => ({
  IndexName,
  KeySchema: [
    { AttributeName: 'kind', KeyType: 'HASH' as const },
    { AttributeName: 'rank', KeyType: 'RANGE' as const },
  ],
  Projection: { ProjectionType: projection },
})

/** A client of a database, with the tables of the commands. */
export const openSubject = async (settings: DynamoDBClientConfig): Promise<DynamoDBClient> => {
  const client = new DynamoDBClient({ ...settings, maxAttempts: 1 })
  for (const TableName of TABLE_NAMES) {
    const types = { pk: 'S', sk: SORT_TYPES[TableName], kind: 'S', rank: 'N' } as const
    const create = new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: Object.entries(types).map(([AttributeName, AttributeType]) => ({
        AttributeName,
        AttributeType,
      })),
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      GlobalSecondaryIndexes: [index('by-kind', 'ALL'), index('by-rank', 'KEYS_ONLY')],
    })
    await client.send(create).catch((error: unknown) => {
      if (!(error instanceof ResourceInUseException)) throw error
    })
  }
  return client
}

/** Removes all items. */
export const empty = async (client: DynamoDBClient): Promise<void> => {
  for (const TableName of TABLE_NAMES) {
    const { Items = [] } = await client.send(new ScanCommand({ TableName, ConsistentRead: true }))
    for (const { pk, sk } of Items) {
      await client.send(new DeleteItemCommand({ TableName, Key: { pk, sk } as Item }))
    }
  }
}

/** Expressions of one request with the names and values that they stand for. */
class Rendering {
  readonly #names: Record<string, string> = {}
  readonly #values: Item = {}

  text(expression: Expression | undefined): string | undefined {
    return expression
      ?.map((piece) => {
        if (typeof piece === 'string') return piece
        return 'value' in piece ? this.#value(piece.value) : this.#path(piece.path)
      })
      .join('')
  }

  /** After all expressions were rendered. */
  placeholders() {
    const filled = <T extends object>(record: T): T | undefined =>
      Object.keys(record).length === 0 ? undefined : record
    return { ExpressionAttributeNames: filled(this.#names), ExpressionAttributeValues: filled(this.#values) }
  }

  #value(value: AttributeValue): string {
    const name = `:v${Object.keys(this.#values).length}`
    this.#values[name] = value
    return name
  }

  #path(parts: readonly (string | number)[]): string {
    return parts
      .map((part, position) => {
        if (typeof part === 'number') return `[${part}]`
        this.#names[`#${part}`] = part
        return `${position === 0 ? '' : '.'}#${part}`
      })
      .join('')
  }
}

const writeInput = (write: Write) => {
  const rendering = new Rendering()
  const ConditionExpression = rendering.text(write.condition)
  const UpdateExpression = write.kind === 'update' ? rendering.text(write.update) : undefined
  return {
    TableName: write.table,
    ...(write.kind === 'put' ? { Item: write.item } : { Key: write.key }),
    ...(UpdateExpression === undefined ? {} : { UpdateExpression }),
    ...(ConditionExpression === undefined ? {} : { ConditionExpression }),
    ...rendering.placeholders(),
    ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: inputs of four commands, each of which is made for its own.
type Input = any

const COMMANDS = { put: PutItemCommand, update: UpdateItemCommand, delete: DeleteItemCommand }
const ACTIONS = { put: 'Put', update: 'Update', delete: 'Delete', check: 'ConditionCheck' } as const

const PAGES_MAX = 20

const listAll = async (client: DynamoDBClient, list: ListCommand): Promise<unknown[]> => {
  const rendering = new Rendering()
  const input: Input = {
    TableName: list.table,
    IndexName: list.index,
    KeyConditionExpression: rendering.text(list.keyCondition),
    FilterExpression: rendering.text(list.filter),
    Limit: list.limit,
    ...(list.kind === 'query' ? { ScanIndexForward: !list.backward } : {}),
    ...rendering.placeholders(),
  }
  const pages: unknown[] = []
  let start: Item | undefined
  do {
    const command =
      list.kind === 'query'
        ? new QueryCommand({ ...input, ExclusiveStartKey: start })
        : new ScanCommand({ ...input, ExclusiveStartKey: start })
    const { Items = [], Count, ScannedCount, LastEvaluatedKey } = await client.send(command as QueryCommand)
    pages.push({ Items, Count, ScannedCount, LastEvaluatedKey })
    start = LastEvaluatedKey
  } while (start && pages.length < PAGES_MAX)
  return pages
}

const run = async (client: DynamoDBClient, command: Command): Promise<unknown> => {
  switch (command.kind) {
    case 'transact': {
      const TransactItems: Input = command.writes.map((write) => ({ [ACTIONS[write.kind]]: writeInput(write) }))
      await client.send(new TransactWriteItemsCommand({ TransactItems }))
      return 'done'
    }
    case 'get': {
      const { table: TableName, key: Key } = command
      return (await client.send(new GetItemCommand({ TableName, Key, ConsistentRead: true }))).Item
    }
    case 'query':
    case 'scan':
      return listAll(client, command)
    case 'check':
      throw new TypeError('A check is part of a transaction.')
    default: {
      const input: Input = { ...writeInput(command), ReturnValues: command.returns }
      const Command: new (input: Input) => PutItemCommand = COMMANDS[command.kind] as Input
      const { Attributes = {} } = await client.send(new Command(input))
      return Attributes
    }
  }
}

const SETS = ['SS', 'NS', 'BS']

/** One form of what may come in any order: members of sets, attributes, bytes as text. */
const normal = (value: unknown): unknown => {
  if (value instanceof Uint8Array) return `bytes ${Buffer.from(value).toString('hex')}`
  if (Array.isArray(value)) return value.map(normal)
  if (typeof value !== 'object' || value === null) return value
  // MiniStack gives some numbers back as they were written, and DynamoDB all in their normal form.
  if ('N' in value && typeof value.N === 'string') return { N: normalizeNumber(value.N) }
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return Object.fromEntries(
    entries
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([name, member]) => {
        const form = normal(member)
        return [name, SETS.includes(name) && Array.isArray(form) ? form.map(String).sort() : form]
      }),
  )
}

const inAnyOrder = (pages: unknown): unknown => {
  const items = (pages as { Items: unknown[] }[]).flatMap(({ Items }) => Items.map((it) => JSON.stringify(it)))
  return items.sort()
}

type Refusal = Error & { Item?: Item; CancellationReasons?: { Code?: string; Item?: Item }[] }

/** What a database answers to a command, in a form in which two can be compared: without messages, whose words differ. */
export const answerOf = async (client: DynamoDBClient, command: Command): Promise<unknown> => {
  try {
    const answer = normal(await run(client, command))
    return command.kind === 'scan' ? inAnyOrder(answer) : answer
  } catch (error) {
    const { name, Item, CancellationReasons: reasons } = error as Refusal
    return normal({ name, Item, reasons: reasons?.map(({ Code, Item: stored }) => ({ Code, Item: stored })) })
  }
}

type Refused = { name?: string; reasons?: { Code?: string }[] } | undefined

const isInvalid = (answer: unknown): boolean => {
  const { name, reasons = [] } = (answer as Refused) ?? {}
  return name === 'ValidationException' || reasons.some(({ Code }) => Code === 'ValidationError')
}

const REFUSALS = ['ValidationException', 'TransactionCanceledException']

/** Whether two answers mean the same. What is not valid in a transaction may be informed of all of it, or of one action, and first or last. */
export const sameAnswer = (one: unknown, other: unknown): boolean => {
  if (isDeepStrictEqual(one, other)) return true
  const names = [one, other].map((answer) => (answer as Refused)?.name ?? '')
  const isCancelled = names.includes('TransactionCanceledException')
  return isCancelled && names.every((name) => REFUSALS.includes(name)) && (isInvalid(one) || isInvalid(other))
}
