import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda'
import { AWS_CLIENT_OPTIONS } from '../../runtime/aws-client-options.ts'
import { outboxEnv, readEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { powertoolsLog } from '../../runtime/powertools-log.ts'
import { putOnBus } from './event-bridge.ts'
import { forwardEvents } from './forward.ts'

const parts = lazy(() => {
  const env = readEnv(outboxEnv)
  const client = new EventBridgeClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS })
  return { put: putOnBus(client, env.EVENT_BUS_NAME), log: powertoolsLog() }
})

/** Lambda entry behind the table's stream. */
export const handler = ({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> =>
  forwardEvents(Records, parts())
