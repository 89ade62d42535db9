import { createSecretKey } from 'node:crypto'
import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { unmarshall } from '@aws-sdk/util-dynamodb'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { dynamoIdentityStore } from '../../../functions/store/dynamodb/identity-store.ts'
import { parseItem } from '../../../functions/store/dynamodb/item.schema.ts'
import { aesKeyService } from '../../../local/keys/key-file.ts'
import { createTestStores, type TestStores } from '../../support/store/database.ts'
import { scanTable } from '../../support/store/dynamo-subject.ts'
import { ITEM_SCHEMAS, schemaOf } from '../../support/store/item-schemas.ts'
import { PROJECT, readOneOfEach, writeOneCredential, writeOneOfEach } from '../../support/store/one-of-each.ts'
import { RELEASE_KEY, type Release, releases } from '../../support/store/releases.ts'

type Item = Record<string, AttributeValue>

const newStores = (): Promise<TestStores> => createTestStores({ keys: aesKeyService(createSecretKey(RELEASE_KEY)) })

const keysOf = (item: Item): { pk: string; sk: string } => ({ pk: item.pk?.S ?? '', sk: item.sk?.S ?? '' })

/** What a release can't read of these items, by its own schemas. */
const unreadable = (items: readonly Item[], reads: NonNullable<Release['reads']>): string[] =>
  items.flatMap((item) => {
    const found = schemaOf(keysOf(item))
    const schema = found && reads[found.kind]
    // It knows nothing of a kind that is newer than it, and never asks for one.
    if (schema === undefined) return []
    const { success, error } = z.fromJSONSchema(schema).safeParse(unmarshall(item))
    return success ? [] : [`${found?.kind}: ${z.prettifyError(error)}`]
  })

const recorded = releases()
const withReaders = recorded.flatMap(({ version, reads }) => (reads === undefined ? [] : [{ version, reads }]))

describe.each(recorded)('items that release $version wrote', ({ items, reads }) => {
  let stores: TestStores
  beforeAll(async () => {
    stores = await newStores()
    const { client, tableName } = stores.table
    for (const Item of items) await client.send(new PutItemCommand({ TableName: tableName, Item }))
  })
  afterAll(() => stores.dispose())

  it('are read', async () => {
    const read = await readOneOfEach(stores)
    expect(read).toMatchObject({
      cluster: { id: 'c1', name: 'paris' },
      clusters: ['c1'],
      federation: { id: 'f1', name: 'fleet' },
      members: ['Joining', 'Ready'],
      template: { id: 't1' },
      nodeGroup: { id: 'g1' },
      quota: 1,
      workers: ['reconciler'],
      credential: 'token',
      authority: 'key',
    })
  })

  it('are changed, and can still be read by that release', async () => {
    const { cluster, federation, template, nodeGroup } = await readOneOfEach(stores)
    const [member] = await stores.memberships.listOf({ projectId: PROJECT, id: 'f1' })
    await stores.commit([
      stores.clusters.change(cluster!, { statusReason: 'changed' }),
      stores.federations.change(federation!, { statusReason: 'changed' }),
      stores.templates.change(template!, { tags: 'changed' }),
      stores.nodeGroups.change(nodeGroup!, { nodeCount: 9 }),
      stores.memberships.replace(member!, { ...member!, memberName: 'changed' }),
    ])
    const after = await readOneOfEach(stores)
    expect(after).toMatchObject({ cluster: { statusReason: 'changed' }, federation: { statusReason: 'changed' } })
    expect(unreadable(await scanTable(stores.table), reads ?? {})).toEqual([])
  })
})

describe('items that are written now', () => {
  let items: Item[]
  beforeAll(async () => {
    const stores = await newStores()
    await writeOneOfEach(stores)
    await writeOneCredential(dynamoIdentityStore({ ...stores.table, clock: { now: () => new Date() } }))
    items = await scanTable(stores.table)
    await stores.dispose()
  })

  it('are of every kind', () => {
    const kinds = new Set(items.map((item) => schemaOf(keysOf(item))?.kind))
    expect(ITEM_SCHEMAS.map(({ kind }) => kind).filter((kind) => !kinds.has(kind))).toEqual([])
  })

  it.each(withReaders)(
    'can be read by release $version, which runs beside while this one is rolled out',
    ({ reads }) => {
      expect(unreadable(items, reads)).toEqual([])
    },
  )

  it('would not pass unnoticed if they could not', () => {
    const { reads } = withReaders.at(-1)!
    const broken = items.map((item) =>
      schemaOf(keysOf(item))?.kind === 'cluster' ? { ...item, name: { N: '1' } } : item,
    )
    expect(unreadable(broken, reads)).toEqual([expect.stringMatching(/^cluster: .*name/s)])
  })

  it.each(ITEM_SCHEMAS)('have a successor that is read: $kind', ({ kind, schema, version }) => {
    const item = unmarshall(items.find((it) => schemaOf(keysOf(it))?.kind === kind)!)
    const next = { ...item, schemaVersion: version + 1, invented: { later: true } }
    const read = (it: Record<string, unknown>) => ({ ...(parseItem(schema, it) as object), schemaVersion: 0 })
    expect(read(next)).toEqual(read(item))
    expect(() => parseItem(schema, { ...item, schemaVersion: version + 2 })).toThrow(/schemaVersion/)
  })
})
