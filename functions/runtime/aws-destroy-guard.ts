import type { Logger } from '../core/ports.ts'
import { AppError } from '../core/values/app-error.ts'
import { openDocumentClient } from '../store/dynamodb/document-client.ts'
import { dynamoWorkStore } from '../store/dynamodb/work-store.ts'
import type { WorkStore } from '../store/work.store.ts'
import type { DestroyGuardEnv } from './env.ts'
import { powertoolsLog } from './powertools-log.ts'

/** CloudFormation did not take an answer about a resource of ours. */
export class StackAnswerRefused extends AppError {
  override readonly name = 'StackAnswerRefused'
  readonly kind = 'unavailable'
  override readonly retryable = true
}

/** Puts an answer where CloudFormation waits for it. @throws StackAnswerRefused without the URL, which is signed */
const putAnswer = async (url: string, body: string): Promise<void> => {
  // S3 signed it for a request without content type.
  const { ok, status } = await fetch(url, { method: 'PUT', body, headers: { 'content-type': '' } })
  if (!ok) throw new StackAnswerRefused(`The answer to CloudFormation was refused with ${status}. It is sent again.`)
}

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
