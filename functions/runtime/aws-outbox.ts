import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { PutEvents } from '../core/ports.ts'
import { dynamoCommit } from '../store/dynamodb/commit.ts'
import { dynamoFeed } from '../store/dynamodb/event-store.ts'
import { openDocumentClient, pauseFor } from '../store/dynamodb/request.ts'
import { eventOfRecord } from '../store/dynamodb/stream-records.ts'
import { AWS_CLIENT_OPTIONS } from './aws-clients.ts'
import type { OutboxEnv } from './env.ts'
import { publishMetrics } from './metrics.ts'
import { passingOver } from './passing-over.ts'
import { powertoolsLog } from './powertools-log.ts'

/** Puts events on a bus of EventBridge. @throws what the SDK throws when the call as a whole fails */
export const putOnBus =
  (client: Pick<EventBridgeClient, 'send'>, busName: string): PutEvents =>
  async (events) => {
    const { Entries = [] } = await client.send(
      new PutEventsCommand({
        Entries: events.map((event) => ({
          EventBusName: busName,
          Source: event.source,
          DetailType: event['detail-type'],
          Time: new Date(event.time),
          Detail: JSON.stringify(event.detail),
        })),
      }),
    )
    const refused = Entries.findIndex(({ ErrorCode }) => ErrorCode !== undefined)
    return refused < 0 ? events.length : refused
  }

/** What the forwarder of events uses on AWS. Makes the client, calls nothing. */
export const awsOutbox = (env: OutboxEnv) => {
  const client = new EventBridgeClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS })
  const documentClient = openDocumentClient({ region: env.AWS_REGION })
  const context = {
    client: documentClient,
    tableName: env.TABLE_NAME,
    clock: { now: () => new Date() },
    pause: pauseFor,
  }
  const { publish } = dynamoFeed(context, dynamoCommit(context))
  const log = powertoolsLog()
  const eventOf = passingOver(eventOfRecord, { log, publish: publishMetrics() })
  return { eventOf, publish, put: putOnBus(client, env.EVENT_BUS_NAME), log }
}
