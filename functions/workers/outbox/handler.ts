import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { awsOutbox } from '../../runtime/aws-outbox.ts'
import { outboxEnv, readEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { forwardEvents } from './forward.ts'

const parts = lazy(() => awsOutbox(readEnv(outboxEnv)))

/** Lambda entry behind the table's stream. */
export const handler = ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
  forwardEvents(Records, parts())
