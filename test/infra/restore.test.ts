import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { beforeEach, describe, expect, it } from 'vitest'
import { restoreTable } from '../../infra/restore/restore-table.ts'
import { createTestTable, type TestTable } from '../support/store/database.ts'

type Item = { pk: string; sk: string } & Record<string, unknown>

/** More than one batch of reads and of writes has. */
const MANY = 130

let restored: TestTable
let live: TestTable
let client: DynamoDBClient

beforeEach(async () => {
  ;[restored, live] = await Promise.all([createTestTable(), createTestTable()])
  client = new DynamoDBClient(live.connection)
  return async () => {
    client.destroy()
    await Promise.all([restored.dispose(), live.dispose()])
  }
})
const put = (table: TestTable, ...items: Item[]) =>
  Promise.all(items.map((Item) => table.client.send(new PutCommand({ TableName: table.tableName, Item }))))

const all = async ({ client: documents, tableName }: TestTable): Promise<Item[]> => {
  const { Items = [] } = await documents.send(new ScanCommand({ TableName: tableName }))
  return (Items as Item[]).sort((one, other) => `${one.pk}${one.sk}`.localeCompare(`${other.pk}${other.sk}`))
}

const item = (n: number, more: object = {}): Item => ({
  pk: 'P#shop',
  sk: `CLUSTER#${n}`,
  uses: new Set(['member:f']),
  sealed: Buffer.from([n % 256]),
  ...more,
})

const options = () => ({ client, from: restored.tableName, to: live.tableName })

describe('restoreTable', () => {
  it('puts back what differs or is gone, deletes what came later, and leaves the rest alone', async () => {
    const then = Array.from({ length: MANY }, (_, n) => item(n, { kindPk: 'K', kindSk: `${n}` }))
    await put(restored, ...then)
    // Every third was changed, every third is gone, and some are new.
    await put(live, ...then.flatMap((it, n) => (n % 3 === 0 ? [it] : n % 3 === 1 ? [{ ...it, status: 'broken' }] : [])))
    await put(live, ...[1, 2, 3].map((n) => item(1_000 + n)))
    const planned = { same: 44, written: 86, deleted: 3 }
    const before = await all(live)
    expect(await restoreTable({ ...options(), check: true })).toEqual(planned)
    expect(await all(live)).toEqual(before)
    expect(await restoreTable(options())).toEqual(planned)
    expect(await all(live)).toEqual(await all(restored))
    expect(await restoreTable(options())).toEqual({ same: MANY, written: 0, deleted: 0 })
  })

  it('sends again what the database did not take', async () => {
    await put(restored, ...Array.from({ length: 30 }, (_, n) => item(n)))
    let refused = 0
    client.middlewareStack.add(
      (next) => async (args) => {
        const result = await next(args)
        const { RequestItems } = args.input as { RequestItems?: Record<string, unknown[]> }
        const requests = RequestItems?.[live.tableName]
        // The first batch of writes: all but its last were taken, it says.
        if (Array.isArray(requests) && refused === 0) {
          refused = 1
          Object.assign(result.output, { UnprocessedItems: { [live.tableName]: requests.slice(-1) } })
        }
        return result
      },
      { step: 'initialize' },
    )
    expect(await restoreTable(options())).toMatchObject({ written: 30 })
    expect(refused).toBe(1)
    expect(await all(live)).toEqual(await all(restored))
  })
})
