import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDocumentClient } from '../../../functions/store/dynamodb/request.ts'
import { type EmbeddedDynamoDb, openEmbeddedDynamoDb } from '../../../local/dynamodb/embedded-dynamodb.ts'
import { ensureTable } from '../../../local/dynamodb/ensure-table.ts'

const HOLDER = fileURLToPath(new URL('../../support/store/hold-database.ts', import.meta.url))

describe('openEmbeddedDynamoDb', () => {
  let directory: string
  let open: EmbeddedDynamoDb[] = []
  let clients: DynamoDBDocumentClient[] = []
  let children: ChildProcess[] = []
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
  })
  afterEach(async () => {
    for (const client of clients) client.destroy()
    for (const database of open) database.stop()
    const ended = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
    for (const child of ended) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    open = []
    clients = []
    children = []
    rmSync(directory, { recursive: true })
  })

  const start = (dataDir: string | undefined = directory): EmbeddedDynamoDb => {
    const database = openEmbeddedDynamoDb({ dataDir })
    open.push(database)
    return database
  }
  const inMemory = (): EmbeddedDynamoDb => {
    const database = openEmbeddedDynamoDb({ dataDir: undefined })
    open.push(database)
    return database
  }
  const clientOf = ({ connection }: EmbeddedDynamoDb): DynamoDBDocumentClient => {
    const client = openDocumentClient({ ...connection, maxAttempts: 1 })
    clients.push(client)
    return client
  }
  const holdInOtherProcess = async (writers: number): Promise<ChildProcess & { said(): string }> => {
    const child = spawn(process.execPath, [HOLDER, directory, String(writers)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
    await once(child.stdout, 'data')
    return Object.assign(child, { said: () => said })
  }
  const key = { pk: 'a', sk: 'b' }

  it('and what it stores are for its user only', async () => {
    const client = clientOf(start())
    await ensureTable(client, 'data')
    await client.send(new PutCommand({ TableName: 'data', Item: { ...key, value: 1 } }))
    const files = readdirSync(directory)
    expect(files).toEqual(expect.arrayContaining(['database.db', 'database.db-wal', 'lock.db']))
    expect(files.filter((name) => (statSync(join(directory, name)).mode & 0o777) !== 0o600)).toEqual([])
    expect(statSync(directory).mode & 0o777).toBe(0o700)
  })

  it('keeps what was stored in the data directory over a restart', async () => {
    const first = start()
    const client = clientOf(first)
    await ensureTable(client, 'data')
    await client.send(new PutCommand({ TableName: 'data', Item: { ...key, value: 1 } }))
    first.stop()
    await expect(client.send(new GetCommand({ TableName: 'data', Key: key }))).rejects.toThrow(/closed/)
    const again = clientOf(start())
    await ensureTable(again, 'data')
    expect((await again.send(new GetCommand({ TableName: 'data', Key: key }))).Item).toEqual({ ...key, value: 1 })
  })

  it('refuses a data directory in use, in this process or another, until it is free', async () => {
    const first = start()
    const inUse = expect.objectContaining({
      name: 'DataDirectoryInUse',
      message: expect.stringContaining('--data-dir'),
    })
    expect(() => start()).toThrow(inUse)
    first.stop()
    const child = await holdInOtherProcess(0)
    expect(() => start()).toThrow(inUse)
    child.kill('SIGKILL')
    await once(child, 'exit')
    start()
  })

  it('has after a kill whatever it had said is stored, each item whole', async () => {
    const child = await holdInOtherProcess(8)
    await expect.poll(() => child.said().split('\n').length, { timeout: 30_000 }).toBeGreaterThan(400)
    child.kill('SIGKILL')
    await once(child, 'close')
    const said = child.said().split('\n').slice(1, -1)
    const client = clientOf(start())
    const items = await Promise.all(
      said.map(async (sk) => (await client.send(new GetCommand({ TableName: 'data', Key: { pk: 'n', sk } }))).Item),
    )
    expect(items.filter((item) => item?.filler.length !== 2000)).toEqual([])
  })

  it('makes the table once, with its indexes, stream and TTL, however often and at once it is asked', async () => {
    const client = clientOf(inMemory())
    await Promise.all(
      [ensureTable(client, 'data'), ensureTable(client, 'data')].map((made) => made.catch(() => undefined)),
    )
    await ensureTable(client, 'data')
    const { Table: table } = await client.send(new DescribeTableCommand({ TableName: 'data' }))
    expect(table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort()).toEqual([
      'kinds',
      'open-work',
      'renewals',
    ])
    expect(table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'KEYS_ONLY' })
    const { TimeToLiveDescription: ttl } = await client.send(new DescribeTimeToLiveCommand({ TableName: 'data' }))
    expect(ttl).toEqual({ AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' })
  })

  it('answers later, never at once, and lets others have their turn in between', async () => {
    const client = clientOf(inMemory())
    await ensureTable(client, 'data')
    const filler = 'x'.repeat(300_000)
    const puts = Array.from({ length: 200 }, (_, n) =>
      client.send(new PutCommand({ TableName: 'data', Item: { pk: 'n', sk: `${n}`, filler } })),
    )
    let queue = 0
    const count = (): void => {
      queue += 1
      immediate = setImmediate(count)
    }
    let immediate = setImmediate(count)
    await Promise.all(puts)
    clearImmediate(immediate)
    expect(queue).toBeGreaterThan(3)
  })
})
