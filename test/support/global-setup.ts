import type { TestProject } from 'vitest/node'
import { startEmbeddedDynamoDb } from '../../local/dynamodb/embedded-dynamodb.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    dynamodbEndpoint: string
  }
}

/** One embedded database for a whole test run; each suite makes a table of its own in it (`test/support/store/database.ts`). */
export const setup = async (project: TestProject): Promise<() => Promise<void>> => {
  const database = await startEmbeddedDynamoDb({ dataDir: undefined })
  project.provide('dynamodbEndpoint', database.endpoint)
  return database.stop
}
