import {
  CreateTableCommand,
  DeleteTableCommand,
  ListTagsOfResourceCommand,
  UpdateTableCommand,
} from '@aws-sdk/client-dynamodb'
import {
  BatchGetCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openDocumentClient } from '../../../functions/store/dynamodb/request.ts'
import { openStreamShards } from '../../../local/bus/stream-shards.ts'
import { type Connection, inProcess } from '../../../local/dynamodb/connection.ts'
import { ensureTable } from '../../../local/dynamodb/ensure-table.ts'
import { sweep } from '../../../local/dynamodb/operations/sweep.ts'
import { requestHandler } from '../../../local/dynamodb/request-handler.ts'
import { RequestQueue } from '../../../local/dynamodb/request-queue.ts'
import { openMemory } from '../../../local/dynamodb/storage/database-file.ts'
import { Storage } from '../../../local/dynamodb/storage/storage.ts'

const TABLE = 'data'
const KB = 1024
const HOUR_MS = 3_600_000

describe('operations of the embedded database', () => {
  let client: DynamoDBDocumentClient
  let queue: RequestQueue
  let now = Date.parse('2026-11-29T00:00:00.000Z')
  let connection: Connection
  let close: () => void
  beforeAll(async () => {
    const database = openMemory()
    queue = new RequestQueue({
      database,
      context: { storage: new Storage(database), now: () => now },
      onFault: () => undefined,
    })
    connection = inProcess(requestHandler(queue))
    client = openDocumentClient({ ...connection, maxAttempts: 1 })
    close = () => database.close()
  })
  afterAll(() => {
    client.destroy()
    close()
  })
  beforeEach(async () => {
    await ensureTable(client, TABLE)
    return async () => {
      await client.send(new DeleteTableCommand({ TableName: TABLE }))
    }
  })

  const key = { pk: 'p', sk: 's' }
  const put = (item: object, more: object = {}) =>
    client.send(new PutCommand({ TableName: TABLE, Item: { ...key, ...item }, ...more }))
  const get = async (sk = 's') => (await client.send(new GetCommand({ TableName: TABLE, Key: { pk: 'p', sk } }))).Item
  const update = (text: string, values: object = {}, more: object = {}) => {
    const input = { TableName: TABLE, Key: key, UpdateExpression: text, ...more }
    const filled =
      Object.keys(values).length === 0 ? {} : { ExpressionAttributeValues: values as Record<string, unknown> }
    return client.send(new UpdateCommand({ ...input, ...filled }))
  }
  const invalid = (message: RegExp) => ({ name: 'ValidationException', message: expect.stringMatching(message) })

  it('that fedplane does not use are refused by name, and so are their parameters', async () => {
    await expect(client.send(new ListTagsOfResourceCommand({ ResourceArn: 'x' }))).rejects.toMatchObject({
      name: 'UnknownOperationException',
      message: expect.stringContaining('ListTagsOfResource'),
    })
    await expect(client.send(new UpdateTableCommand({ TableName: TABLE }))).rejects.toThrow(/UpdateTable/)
    const scan = new ScanCommand({ TableName: TABLE, Segment: 0, TotalSegments: 2 })
    await expect(client.send(scan)).rejects.toMatchObject(invalid(/Segments?.* of Scan is not supported/))
    await expect(put({}, { ReturnConsumedCapacity: 'INDEXES' })).rejects.toMatchObject(
      invalid(/ReturnConsumedCapacity/),
    )
    const provisioned = new CreateTableCommand({
      TableName: 'other',
      BillingMode: 'PROVISIONED',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    })
    await expect(client.send(provisioned)).rejects.toMatchObject(invalid(/BillingMode/))
  })

  it.each<[string, string, object, RegExp]>([
    ['a word of DynamoDB', 'SET status = :v', { ':v': 1 }, /reserved keyword; reserved keyword: status/],
    ['an unknown name', 'SET #x = :v', { ':v': 1 }, /attribute name used in the document path is not defined.*#x/],
    ['an unknown value', 'SET a = :w', {}, /attribute value used in expression is not defined.*:w/],
    ['a value too many', 'SET a = :v', { ':v': 1, ':w': 2 }, /unused in expressions: keys: \{:w\}/],
    ['bad grammar', 'SET a : b', {}, /Syntax error; token: ":"/],
    ['a path twice', 'SET a = :v, a.b = :v', { ':v': 1 }, /paths overlap.*path one: \[a\], path two: \[a, b\]/],
    ['a clause twice', 'SET a = :v SET b = :v', { ':v': 1 }, /"SET" section can only be used once/],
    ['its key', 'SET sk = :v', { ':v': 'x' }, /Cannot update attribute sk\. This attribute is part of the key/],
    ['no such attribute', 'SET a = b', {}, /refers to an attribute that does not exist/],
    ['no such place', 'SET a.b = :v', { ':v': 1 }, /document path provided in the update expression is invalid/],
    ['another type', 'ADD sort_ :v', { ':v': 'x' }, /Incorrect operand type.*ADD, operand type: S/],
    [
      'no text in an index',
      'SET kindPk = :v',
      { ':v': null },
      /Type mismatch for Index Key kindPk Expected: S Actual: NULL/,
    ],
    ['41 digits', 'SET a = :v', { ':v': 1n + 10n ** 40n }, /more than 38 significant digits/],
  ])('refuse an update with %s', async (_, text, values, message) => {
    await expect(update(text, values)).rejects.toMatchObject(invalid(message))
    expect(await get()).toBeUndefined()
  })

  it('change nested values and lists as DynamoDB does', async () => {
    await put({ list: [1, 2, 3, 4], map: { a: 1, __proto__: 'x' }, n: 1, tags: new Set(['a', 'b']) })
    await update(
      'SET #map.b = if_not_exists(#map.c, :v), #l[9] = :v, n = n - :half, more = list_append(:l, #l) REMOVE gone DELETE tags :tags',
      {
        ':v': 'v',
        ':half': 0.5,
        ':l': [0],
        ':tags': new Set(['a', 'b']),
      },
      { ExpressionAttributeNames: { '#map': 'map', '#l': 'list' } },
    )
    expect(await get()).toMatchObject({ list: [1, 2, 3, 4, 'v'], map: { a: 1, b: 'v' }, n: 0.5, more: [0, 1, 2, 3, 4] })
    expect(await get()).not.toHaveProperty('tags')
    await update('REMOVE #l[0], #l[2], #l[7]', {}, { ExpressionAttributeNames: { '#l': 'list' } })
    expect((await get())?.list).toEqual([2, 4, 'v'])
  })

  it('take names for attributes that JavaScript has for its own', async () => {
    const names = { '#a': 'constructor', '#b': 'toString' }
    const condition = {
      ConditionExpression: 'attribute_not_exists(#a) AND attribute_not_exists(#b)',
      ExpressionAttributeNames: names,
    }
    await put({}, condition)
    await update('SET #a = :v', { ':v': { __proto__: 1 } }, { ExpressionAttributeNames: { '#a': '__proto__' } })
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: TABLE,
        KeyConditionExpression: 'pk = :p AND begins_with(sk, :s)',
        ExpressionAttributeValues: { ':p': 'p', ':s': 's' },
      }),
    )
    expect(Items).toHaveLength(1)
  })

  it('tell what was stored when a condition fails, and the new values when asked', async () => {
    await put({ v: 1 })
    const refused = put(
      { v: 2 },
      { ConditionExpression: 'attribute_not_exists(pk)', ReturnValuesOnConditionCheckFailure: 'ALL_OLD' },
    )
    await expect(refused).rejects.toMatchObject({ name: 'ConditionalCheckFailedException', Item: { v: { N: '1' } } })
    const { Attributes } = await update('ADD v :one SET w = :one', { ':one': 1 }, { ReturnValues: 'UPDATED_NEW' })
    expect(Attributes).toEqual({ v: 2, w: 1 })
    const { Attributes: old } = await client.send(
      new DeleteCommand({ TableName: TABLE, Key: key, ReturnValues: 'ALL_OLD' }),
    )
    expect(old).toEqual({ ...key, v: 2, w: 1 })
  })

  it('refuse items of more than 400 KB and transactions of more than 4 MB, and store nothing of them', async () => {
    const filler = 'x'.repeat(400 * KB)
    await expect(put({ filler })).rejects.toMatchObject(invalid(/^Item size has exceeded/))
    await expect(update('SET filler = :v', { ':v': filler })).rejects.toMatchObject(
      invalid(/^Item size to update has exceeded/),
    )
    const items = Array.from({ length: 11 }, (_, n) => ({
      Put: { TableName: TABLE, Item: { pk: 'p', sk: `${n}`, large: 'x'.repeat(390 * KB) } },
    }))
    await expect(client.send(new TransactWriteCommand({ TransactItems: items }))).rejects.toMatchObject(
      invalid(/aggregate size.*4MB/),
    )
    expect(await get('0')).toBeUndefined()
  })

  const transact = (writes: object[], token?: string) =>
    client.send(
      new TransactWriteCommand({ TransactItems: writes as never, ...(token ? { ClientRequestToken: token } : {}) }),
    )
  const putOf = (sk: string, more: object = {}) => ({ Put: { TableName: TABLE, Item: { pk: 'p', sk }, ...more } })

  it('carry out all of a transaction or nothing, with the reason for each of its writes', async () => {
    await put({})
    const check = {
      ConditionCheck: { TableName: TABLE, Key: { pk: 'p', sk: 'none' }, ConditionExpression: 'attribute_exists(pk)' },
    }
    const taken = putOf('s', {
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
    })
    await expect(transact([putOf('a'), check, taken])).rejects.toMatchObject({
      name: 'TransactionCanceledException',
      CancellationReasons: [
        { Code: 'None' },
        { Code: 'ConditionalCheckFailed' },
        { Code: 'ConditionalCheckFailed', Item: { pk: { S: 'p' } } },
      ],
    })
    expect(await get('a')).toBeUndefined()
    const many = Array.from({ length: 101 }, (_, n) => putOf(String(n)))
    await expect(transact(many)).rejects.toMatchObject(invalid(/less than or equal to 100/))
    await expect(transact([putOf('a'), putOf('a')])).rejects.toMatchObject(invalid(/multiple operations on one item/))
  })

  it('carry out a transaction once for a token, and no other under it, for ten minutes', async () => {
    const add = {
      Update: { TableName: TABLE, Key: key, UpdateExpression: 'ADD n :one', ExpressionAttributeValues: { ':one': 1 } },
    }
    await transact([add], 'token')
    await transact([add], 'token')
    expect((await get())?.n).toBe(1)
    await expect(transact([putOf('a')], 'token')).rejects.toMatchObject({
      name: 'IdempotentParameterMismatchException',
    })
    now += 11 * 60_000
    await transact([add], 'token')
    expect((await get())?.n).toBe(2)
  })

  it('give pages of 1 MB, and say where the next begins', async () => {
    const puts = Array.from({ length: 4 }, (_, n) => put({ sk: `${n}`, filler: 'x'.repeat(350 * KB) }))
    await Promise.all(puts)
    const query = { TableName: TABLE, KeyConditionExpression: 'pk = :p', ExpressionAttributeValues: { ':p': 'p' } }
    const first = await client.send(new QueryCommand(query))
    expect(first.Items?.map(({ sk }) => sk)).toEqual(['0', '1'])
    expect(first.LastEvaluatedKey).toEqual({ pk: 'p', sk: '1' })
    const second = await client.send(
      new QueryCommand({ ...query, ExclusiveStartKey: first.LastEvaluatedKey, Select: 'COUNT' }),
    )
    expect(second).toMatchObject({ Count: 2 })
    expect(second.LastEvaluatedKey).toBeUndefined()
    const elsewhere = new QueryCommand({ ...query, ExclusiveStartKey: { pk: 'q', sk: '1' } })
    await expect(client.send(elsewhere)).rejects.toMatchObject(invalid(/outside query boundaries/))
  })

  it('count units as AWS does', async () => {
    const unitsOf = async (request: Promise<{ ConsumedCapacity?: unknown }>) =>
      [(await request).ConsumedCapacity].flat().map((it) => (it as { CapacityUnits?: number }).CapacityUnits)
    const count = { ReturnConsumedCapacity: 'TOTAL' }
    expect(await unitsOf(put({ kindPk: 'k', kindSk: 'a', filler: 'x'.repeat(1500) }, count))).toEqual([3])
    expect(await unitsOf(put({ kindPk: 'k', kindSk: 'b', filler: 'x'.repeat(1500) }, count))).toEqual([4])
    const read = new GetCommand({ TableName: TABLE, Key: key, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' })
    expect(await unitsOf(client.send(read))).toEqual([1])
    const batch = new BatchGetCommand({ RequestItems: { [TABLE]: { Keys: [key] } }, ReturnConsumedCapacity: 'TOTAL' })
    expect(await unitsOf(client.send(batch))).toEqual([0.5])
    const transaction = new TransactWriteCommand({
      TransactItems: [putOf('new') as never],
      ReturnConsumedCapacity: 'TOTAL',
    })
    expect(await unitsOf(client.send(transaction))).toEqual([2])
  })

  it('remove what has ended, with a record in the stream, and keep that for a day', async () => {
    const seconds = Math.floor(now / 1000)
    await put({ sk: 'ended', ttl: seconds - 1 })
    await put({ sk: 'stays', ttl: seconds + 1_000_000 })
    await put({ sk: 'no-time', ttl: 5 })
    await put({ sk: 'stays', ttl: seconds + 1_000_000 })
    expect(await queue.run(sweep, undefined)).toBe('false')
    expect([await get('ended'), await get('stays'), await get('no-time')]).toEqual([
      undefined,
      expect.anything(),
      expect.anything(),
    ])
    const shards = await openStreamShards(connection, TABLE)
    const [shard = ''] = await shards.list()
    const kinds = async () => (await shards.read(shard, undefined)).map(({ kind, sk }) => `${kind} ${sk}`)
    // A write that changes nothing is none.
    expect(await kinds()).toEqual(['INSERT ended', 'INSERT stays', 'INSERT no-time', 'REMOVE ended'])
    now += 25 * HOUR_MS
    await queue.run(sweep, undefined)
    expect(await kinds()).toEqual([])
    shards.close()
  })
})
