import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDocumentClient } from '../../../functions/store/dynamodb/request.ts'
import { dynamoStores } from '../../../functions/store/dynamodb/stores.ts'
import { inProcess } from '../../../local/dynamodb/connection.ts'
import { openEmbeddedDynamoDb } from '../../../local/dynamodb/embedded-dynamodb.ts'
import { ensureTable } from '../../../local/dynamodb/ensure-table.ts'
import { putItem } from '../../../local/dynamodb/operations/writes.ts'
import { requestHandler } from '../../../local/dynamodb/request-handler.ts'
import { RequestQueue } from '../../../local/dynamodb/request-queue.ts'
import { openMemory } from '../../../local/dynamodb/storage/database-file.ts'
import { Storage } from '../../../local/dynamodb/storage/storage.ts'
import { manualClock, stored } from '../../support/store/contract-subject.ts'
import { memoryKeys } from '../../support/store/memory-keys.ts'
import { sampleCluster } from '../../support/store/samples.ts'

describe('a file that can not be used', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'fedplane-test-'))
  })
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const refusal = (fault: RegExp) =>
    expect.objectContaining({
      name: 'DataDirectoryUnusable',
      message: expect.stringMatching(
        new RegExp(
          `^The data directory ${directory} can't be used: its file database\\.db .*${fault.source}.*\\. Choose .*--data-dir`,
        ),
      ),
    })
  const start = () => openEmbeddedDynamoDb({ dataDir: directory })

  it('since it is no database', () => {
    writeFileSync(join(directory, 'database.db'), 'no database, but longer than the head of one. '.repeat(50))
    expect(start).toThrow(refusal(/no database.*restore the data directory/))
  })

  it('since it is of another program', () => {
    const other = new DatabaseSync(join(directory, 'database.db'))
    other.exec('CREATE TABLE t (a)')
    other.close()
    expect(start).toThrow(refusal(/of another program/))
  })

  it('since a newer release wrote it', () => {
    start().stop()
    const file = new DatabaseSync(join(directory, 'database.db'))
    file.exec('PRAGMA user_version = 99')
    file.close()
    expect(start).toThrow(refusal(/newer release/))
  })

  it('since it is damaged', async () => {
    const database = start()
    const client = openDocumentClient(database.connection)
    await ensureTable(client, 'data')
    database.stop()
    client.destroy()
    const file = openSync(join(directory, 'database.db'), 'r+')
    // All pages but the first, which tells what there is.
    writeSync(file, Buffer.alloc(40_000, 7), 0, 40_000, 4096)
    closeSync(file)
    expect(start).toThrow(refusal(/damaged; restore the data directory/))
  })
})

/** Long enough for all requests of a test to share a turn. */
const TIMEOUT_MS = 60_000

describe('a file that fails while it is used', () => {
  /** A database that can't grow any more, as on a full disk. */
  const full = async () => {
    const faults: unknown[] = []
    const database = openMemory()
    const storage = new Storage(database)
    const queue = new RequestQueue({
      database,
      context: { storage, now: Date.now },
      onFault: (error) => faults.push(error),
      turnMs: TIMEOUT_MS,
    })
    const connection = inProcess(requestHandler(queue))
    const client = openDocumentClient({ ...connection, maxAttempts: 1 })
    await ensureTable(client, 'data')
    const pages = database.prepare('PRAGMA page_count').get()?.page_count
    const limit = (count: unknown) => database.exec(`PRAGMA max_page_count = ${count}`)
    return { client, queue, faults, fill: () => limit(pages), makeRoom: () => limit(1_000_000), database }
  }

  it('stores nothing, says in a sentence what to do, and goes on when there is room again', async () => {
    const { client, faults, fill, makeRoom, database } = await full()
    fill()
    const stores = dynamoStores({ documentClient: client, tableName: 'data', keys: memoryKeys(), clock: manualClock() })
    const large = sampleCluster({ statusReason: 'x'.repeat(50_000) })
    await expect(stores.commit([stores.clusters.insert(large)])).rejects.toMatchObject({
      name: 'DatabaseUnusable',
      kind: 'unavailable',
      message: expect.stringMatching(
        /^The database can't be used: no space is left on its disk; make room there\. Nothing/,
      ),
    })
    expect(faults).not.toEqual([])
    expect(await stores.clusters.get(large)).toBeUndefined()
    makeRoom()
    await stores.commit([stores.clusters.insert(large)])
    expect(await stores.clusters.get(large)).toEqual(stored(large))
    database.close()
  })

  it('says so when it can only be read', async () => {
    const { client, database } = await full()
    database.exec('PRAGMA query_only = ON')
    await expect(client.send(new PutCommand({ TableName: 'data', Item: { pk: 'a', sk: 'b' } }))).rejects.toMatchObject({
      message: expect.stringContaining('can only be read; give its user the right to write there'),
    })
    database.close()
  })

  it('takes back all that shared the turn, and answers none of it', async () => {
    const { client, queue, fill, makeRoom, database } = await full()
    fill()
    const put = (sk: string, filler: string) =>
      queue.run(putItem, { TableName: 'data', Item: { pk: { S: 'a' }, sk: { S: sk }, filler: { S: filler } } })
    const results = await Promise.allSettled([put('small', ''), put('large', 'x'.repeat(100_000))])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    makeRoom()
    const { Item } = await client.send(new GetCommand({ TableName: 'data', Key: { pk: 'a', sk: 'small' } }))
    expect(Item).toBeUndefined()
    database.close()
  })
})
