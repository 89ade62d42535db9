import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { PutEvents } from '../core/ports.ts'

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
