import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb'
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDocumentClient } from '../../../functions/store/dynamodb/document-client.ts'
import { type EmbeddedDynamoDb, startEmbeddedDynamoDb } from '../../../local/dynamodb/embedded-dynamodb.ts'
import { ensureTable } from '../../../local/dynamodb/ensure-table.ts'

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

const HOLDER = fileURLToPath(new URL('../../support/store/hold-database.ts', import.meta.url))

/** Another process with a database on the directory. */
const holdInOtherProcess = async (directory: string): Promise<{ child: ChildProcess; pid: number }> => {
  const child = spawn(process.execPath, [HOLDER, directory], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout!, 'data')
  return { child, pid: JSON.parse(String(line)).pid }
}

describe('startEmbeddedDynamoDb', () => {
  let directory: string
  let running: EmbeddedDynamoDb[] = []
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'fedplane-test-'))
  })
  afterEach(async () => {
    await Promise.all(running.map((database) => database.stop()))
    running = []
    await rm(directory, { recursive: true })
  })

  const start = async (options: Partial<Parameters<typeof startEmbeddedDynamoDb>[0]> = {}) => {
    const database = await startEmbeddedDynamoDb({ dataDir: directory, endpoint: '', ...options })
    running.push(database)
    return database
  }
  const withClient = async <T>(
    { endpoint }: EmbeddedDynamoDb,
    use: (client: ReturnType<typeof openDocumentClient>) => Promise<T>,
  ): Promise<T> => {
    const client = openDocumentClient({ region: 'local', endpoint })
    try {
      return await use(client)
    } finally {
      client.destroy()
    }
  }
  const key = { pk: 'a', sk: 'b' }

  it('and what it stores are for its user only', async () => {
    const database = await start()
    await withClient(database, async (client) => {
      await ensureTable(client, 'data')
      await client.send(new PutCommand({ TableName: 'data', Item: { ...key, value: 1 } }))
    })
    const files = await readdir(directory)
    const modes = await Promise.all(files.map(async (name) => [name, (await stat(join(directory, name))).mode & 0o777]))
    expect(files).toEqual(expect.arrayContaining(['fedplane.db', 'fedplane.db-wal', 'fedplane.db-shm']))
    expect(modes.filter(([, mode]) => mode !== 0o600)).toEqual([])
  })

  it('keeps what was stored in the data directory over a restart', async () => {
    const first = await start()
    await withClient(first, async (client) => {
      await ensureTable(client, 'data')
      await client.send(new PutCommand({ TableName: 'data', Item: { ...key, value: 1 } }))
      await first.stop()
    })
    expect(isAlive(first.pid!)).toBe(false)
    await withClient(await start(), async (client) => {
      await ensureTable(client, 'data')
      const { Item: item } = await client.send(new GetCommand({ TableName: 'data', Key: key }))
      expect(item).toEqual({ ...key, value: 1 })
    })
  })

  it('refuses a data directory in use, in this process or another, until it is free', async () => {
    const first = await start()
    await expect(start()).rejects.toMatchObject({ name: 'DataDirectoryInUse' })
    await first.stop()
    const { child } = await holdInOtherProcess(directory)
    await expect(start()).rejects.toMatchObject({ name: 'DataDirectoryInUse' })
    child.kill('SIGKILL')
    await once(child, 'exit')
    await start()
  })

  it('ends with its process, even when that is killed', async () => {
    const { child, pid } = await holdInOtherProcess(directory)
    expect(isAlive(pid)).toBe(true)
    child.kill('SIGKILL')
    await expect.poll(() => isAlive(pid), { timeout: 3000 }).toBe(false)
  })

  it('says so when the port is used by another program, and leaves the directory free', async () => {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await expect(start({ port })).rejects.toMatchObject({
      name: 'EmbeddedDynamoDbFailed',
      message: expect.stringContaining(`${port}`),
    })
    server.close()
    await start()
  })

  it('says so when the program ends at once', async () => {
    await expect(start({ program: '/bin/false' })).rejects.toMatchObject({ name: 'EmbeddedDynamoDbFailed' })
  })

  it('starts nothing when an endpoint is given', async () => {
    const given = await start({ endpoint: 'http://127.0.0.1:1' })
    expect(given).toMatchObject({ endpoint: 'http://127.0.0.1:1', pid: undefined })
    await given.stop()
    await start()
  })

  it('without a directory leaves nothing behind', async () => {
    const database = await start({ dataDir: undefined })
    await withClient(database, (client) => ensureTable(client, 'data'))
    await database.stop()
    await database.stop()
    expect(isAlive(database.pid!)).toBe(false)
  })

  it('finds records of its stream by an index, so that writes do not get slower', async () => {
    const faults: unknown[] = []
    await start({ onSlow: (error) => faults.push(error) })
    const file = new DatabaseSync(join(directory, 'fedplane.db'), { readOnly: true })
    // The statement that dynoxide numbers a record with.
    const plan = file
      .prepare(
        'EXPLAIN QUERY PLAN SELECT COALESCE(MAX(CAST(sequence_number AS INTEGER)), 0) + 1 FROM _stream_records WHERE table_name = ?1',
      )
      .all('fedplane')
    file.close()
    expect(faults).toEqual([])
    expect(JSON.stringify(plan)).toContain('SEARCH _stream_records USING COVERING INDEX fedplane_stream_order')
  })

  it('makes the table once, with its indexes, stream and TTL, however often and at once it is asked', async () => {
    await withClient(await start({ dataDir: undefined }), async (client) => {
      await Promise.all([ensureTable(client, 'data'), ensureTable(client, 'data'), ensureTable(client, 'data')])
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
  })
})
