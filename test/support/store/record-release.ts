// Records what this release writes and reads, for the upgrade tests of those to come: npx node test/support/store/record-release.ts VERSION
import { createSecretKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { dynamoIdentityStore } from '../../../functions/store/dynamodb/identity-store.ts'
import { openDocumentClient } from '../../../functions/store/dynamodb/request.ts'
import { dynamoStores } from '../../../functions/store/dynamodb/stores.ts'
import { openEmbeddedDynamoDb } from '../../../local/dynamodb/embedded-dynamodb.ts'
import { ensureTable } from '../../../local/dynamodb/ensure-table.ts'
import { aesKeyService } from '../../../local/keys/key-file.ts'
import { scanTable } from './dynamo-subject.ts'
import { ITEM_SCHEMAS } from './item-schemas.ts'
import { writeOneCredential, writeOneOfEach } from './one-of-each.ts'
import { RELEASE_KEY, RELEASES, toText } from './releases.ts'

const [version = ''] = process.argv.slice(2)
if (!/^\d+\.\d+\.\d+(-[a-z]+)?$/.test(version)) throw new Error('Name the version: record-release.ts 0.2.0')

const database = openEmbeddedDynamoDb({ dataDir: undefined })
try {
  const client = openDocumentClient(database.connection)
  const tableName = 'fedplane-release'
  await ensureTable(client, tableName)
  const keys = aesKeyService(createSecretKey(RELEASE_KEY))
  const clock = { now: () => new Date() }
  await writeOneOfEach(dynamoStores({ documentClient: client, tableName, keys, clock }))
  await writeOneCredential(dynamoIdentityStore({ client, tableName, clock }))
  const items = (await scanTable({ client, tableName })).toSorted((a, b) =>
    JSON.stringify([a.pk, a.sk]).localeCompare(JSON.stringify([b.pk, b.sk])),
  )
  const reads = Object.fromEntries(
    ITEM_SCHEMAS.map(({ kind, schema }) => [kind, z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' })]),
  )
  writeFileSync(path.join(RELEASES, `${version}.json`), toText({ version, items, reads }))
  client.destroy()
} finally {
  database.stop()
}
