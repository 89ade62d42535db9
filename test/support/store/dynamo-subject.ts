import { type AttributeValue, ScanCommand } from '@aws-sdk/client-dynamodb'
import { type ContractSubject, manualClock } from './contract-subject.ts'
import { createTestStores, type TestTable } from './database.ts'
import { memoryKeys } from './memory-keys.ts'

type RawItem = Record<string, AttributeValue>

/** All items of a table as they are stored. */
export const scanTable = async ({ client, tableName }: Pick<TestTable, 'client' | 'tableName'>): Promise<RawItem[]> => {
  const items: RawItem[] = []
  let start: RawItem | undefined
  do {
    const answer = await client.send(
      new ScanCommand({ TableName: tableName, ConsistentRead: true, ExclusiveStartKey: start }),
    )
    items.push(...(answer.Items ?? []))
    start = answer.LastEvaluatedKey
  } while (start !== undefined)
  return items
}

/** All items as one text; binary values as the characters of their bytes. */
const dumpTable = async (table: TestTable): Promise<string> =>
  JSON.stringify(await scanTable(table), (_, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value,
  )

/** How long a plaintext data key is kept: five minutes. */
const DATA_KEY_LIFE_MS = 5 * 60_000

/** The stores on the embedded database, for the contract. */
export const dynamoSubject = async (): Promise<ContractSubject> => {
  const clock = manualClock()
  const keys = memoryKeys()
  const stores = await createTestStores({ clock, keys })
  const denyKeys = (): void => {
    keys.deny()
    clock.advance(DATA_KEY_LIFE_MS)
  }
  return { stores, clock, dump: () => dumpTable(stores.table), denyKeys, dispose: stores.dispose }
}
