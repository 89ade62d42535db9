import type { Logger } from '../core/ports.ts'
import { openDocumentClient } from '../store/dynamodb/request.ts'
import { dynamoWorkStore } from '../store/dynamodb/work-store.ts'
import type { WorkStore } from '../store/work.store.ts'
import { putAnswer } from './aws-clients.ts'
import type { DestroyGuardEnv } from './env.ts'
import { powertoolsLog } from './powertools-log.ts'

/** What the guard of `cdk destroy` uses on AWS. Makes the client unless it is given one, calls nothing. */
export const awsDestroyGuard = (
  { AWS_REGION, TABLE_NAME }: DestroyGuardEnv,
  client = openDocumentClient({ region: AWS_REGION }),
): { work: WorkStore; put: typeof putAnswer; log: Logger } => ({
  work: dynamoWorkStore({
    client,
    tableName: TABLE_NAME,
    clock: { now: () => new Date() },
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
  }),
  put: putAnswer,
  log: powertoolsLog(),
})
