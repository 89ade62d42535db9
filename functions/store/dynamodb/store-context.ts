import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import type { Clock } from '../../core/ports.ts'

/** What every store of this folder works with. */
export type StoreContext = {
  client: DynamoDBDocumentClient
  tableName: string
  clock: Clock
  /** Waits between attempts, milliseconds. A test may wait for nothing. */
  pause: (milliseconds: number) => Promise<void>
}
