import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, existsSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { afterEach, describe, expect, it } from 'vitest'
import { openDocumentClient } from '../../../functions/store/dynamodb/request.ts'
import { openStreamShards } from '../../../local/bus/stream-shards.ts'
import { type EmbeddedDynamoDb, openEmbeddedDynamoDb } from '../../../local/dynamodb/embedded-dynamodb.ts'
import { formerFolder } from '../../support/local/former-folder.ts'
import { scanTable } from '../../support/store/dynamo-subject.ts'

const HOLDER = fileURLToPath(new URL('../../support/store/hold-database.ts', import.meta.url))
const TABLES = ['fedplane', 'fedplane-executions']

const folders: string[] = []
const open: EmbeddedDynamoDb[] = []
afterEach(() => {
  for (const database of open.splice(0)) database.stop()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const former = (): string => {
  const folder = formerFolder()
  folders.push(folder)
  return folder
}
const start = (dataDir: string): EmbeddedDynamoDb => {
  const database = openEmbeddedDynamoDb({ dataDir })
  open.push(database)
  return database
}

type Items = Record<string, Record<string, unknown>[]>

const sorted = (items: Record<string, unknown>[]) =>
  items.map((item) => JSON.stringify(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1)))).sort()

/** What the former program's file holds, read past it. */
const itemsBefore = (folder: string): Record<string, string[]> => {
  const copy = `${folder}-copy`
  folders.push(copy)
  cpSync(folder, copy, { recursive: true })
  const file = new DatabaseSync(join(copy, 'fedplane.db'))
  const items = TABLES.map((name) => {
    const rows = file.prepare(`SELECT item_json FROM "${name}"`).all()
    return [name, sorted(rows.map(({ item_json }) => JSON.parse(String(item_json))))]
  })
  file.close()
  return Object.fromEntries(items)
}

const itemsNow = async ({ connection }: EmbeddedDynamoDb): Promise<Record<string, string[]>> => {
  const client = openDocumentClient(connection)
  const items: Items = {}
  for (const tableName of TABLES) items[tableName] = await scanTable({ client, tableName })
  client.destroy()
  const asJson = (item: unknown) =>
    JSON.parse(JSON.stringify(item, (_, it) => (it instanceof Uint8Array ? Buffer.from(it).toString('base64') : it)))
  return Object.fromEntries(Object.entries(items).map(([name, list]) => [name, sorted(list.map(asJson))]))
}

describe('a data directory of a release with dynoxide', () => {
  it('is taken over at the first start: every item, and once', async () => {
    const folder = former()
    const before = itemsBefore(folder)
    expect(before.fedplane?.length).toBeGreaterThan(30)
    const database = start(folder)
    expect(database.takenOver).toMatchObject({ tables: 2, file: join(folder, 'fedplane.db.before') })
    expect(await itemsNow(database)).toEqual(before)
    const others = readdirSync(folder).filter((name) => (statSync(join(folder, name)).mode & 0o077) !== 0)
    expect(others).toEqual([])
    database.stop()
    const again = start(folder)
    expect(again.takenOver).toBeUndefined()
    expect(await itemsNow(again)).toEqual(before)
  })

  it('keeps its indexes, and the stream where its reader had come to', async () => {
    const database = start(former())
    const client = openDocumentClient(database.connection)
    const running = {
      IndexName: 'running',
      KeyConditionExpression: 'running = :r',
      ExpressionAttributeValues: { ':r': 'RUNNING' },
    }
    const { Items = [] } = await client.send(new QueryCommand({ TableName: 'fedplane-executions', ...running }))
    expect(Items).toHaveLength(1)

    const shards = await openStreamShards(database.connection, 'fedplane')
    const key = { pk: `STREAM#${shards.streamArn}` }
    const { Item: reader } = await client.send(new GetCommand({ TableName: 'fedplane-executions', Key: key }))
    const [shard = ''] = await shards.list()
    const position = reader?.position[shard]
    expect(Number(position)).toBeGreaterThan(10)
    const all = await shards.read(shard, undefined)
    const left = await shards.read(shard, position)
    expect(left).toEqual(all.filter(({ sequenceNumber }) => Number(sequenceNumber) > Number(position)))
    await client.send(new PutCommand({ TableName: 'fedplane', Item: { pk: 'new', sk: 'new' } }))
    const last = (await shards.read(shard, all.at(-1)?.sequenceNumber)).map(({ pk }) => pk)
    expect(last).toEqual(['new'])
    shards.close()
    client.destroy()
  })

  it('is as it was before when the copy is killed, at any moment, and is copied by the next start', async () => {
    const folder = former()
    const before = itemsBefore(folder)
    const log = join(folder, 'database.db-wal')
    const size = () => (existsSync(log) ? statSync(log).size : 0)
    for (const bytes of [0, 1, 20_000, 100_000]) {
      const child = spawn(process.execPath, [HOLDER, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
      let isOpen = false
      child.stdout.once('data', () => {
        isOpen = true
      })
      while (!isOpen && child.exitCode === null && !(existsSync(join(folder, 'database.db')) && size() >= bytes)) {
        await new Promise((next) => setImmediate(next))
      }
      expect(child.exitCode).toBe(null)
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    expect(await itemsNow(start(folder))).toEqual(before)
  })

  it('is only set aside when all of it was copied, but a kill came between', async () => {
    const folder = former()
    const database = start(folder)
    database.stop()
    copyFileSync(join(folder, 'fedplane.db.before'), join(folder, 'fedplane.db'))
    rmSync(join(folder, 'fedplane.db.before'))
    const again = start(folder)
    expect(again.takenOver).toBeUndefined()
    expect(readdirSync(folder)).toContain('fedplane.db.before')
    expect(readdirSync(folder)).not.toContain('fedplane.db')
  })
})
