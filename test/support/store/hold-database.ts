import { PutCommand } from '@aws-sdk/lib-dynamodb'
import { openDocumentClient } from '../../../functions/store/dynamodb/request.ts'
import { openEmbeddedDynamoDb } from '../../../local/dynamodb/embedded-dynamodb.ts'
import { ensureTable } from '../../../local/dynamodb/ensure-table.ts'

/**
 * Run as a process of its own, to be killed: opens the database of the directory given, and says so. With a number beside it that many writers
 * write for ever, and say the number of each item once it is stored.
 */
const [, , dataDir, writers = '0'] = process.argv
const { connection } = openEmbeddedDynamoDb({ dataDir })
process.stdout.write('open\n')

let last = 0
const write = async (client: ReturnType<typeof openDocumentClient>): Promise<never> => {
  for (;;) {
    const number = ++last
    await client.send(
      new PutCommand({ TableName: 'data', Item: { pk: 'n', sk: String(number), filler: 'x'.repeat(2000) } }),
    )
    process.stdout.write(`${number}\n`)
  }
}
if (writers !== '0') {
  const client = openDocumentClient(connection)
  await ensureTable(client, 'data')
  await Promise.all(Array.from({ length: Number(writers) }, () => write(client)))
}
setInterval(() => undefined, 60_000)
