import { EventBridgeClient } from '@aws-sdk/client-eventbridge'
import { eventOfRecord } from '../store/dynamodb/event-of-record.ts'
import { AWS_CLIENT_OPTIONS } from './aws-client-options.ts'
import type { OutboxEnv } from './env.ts'
import { putOnBus } from './event-bridge.ts'
import { powertoolsLog } from './powertools-log.ts'

/** What the forwarder of events uses on AWS. Makes the client, calls nothing. */
export const awsOutbox = (env: OutboxEnv) => {
  const client = new EventBridgeClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS })
  return { eventOf: eventOfRecord, put: putOnBus(client, env.EVENT_BUS_NAME), log: powertoolsLog() }
}
