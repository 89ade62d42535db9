import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge'
import type { PutOnBus } from '../core/trigger/trigger.ts'
import { AWS_CLIENT_OPTIONS } from './aws-clients.ts'

/** Tells what is from triggers from what is on our own bus. */
const SOURCE = 'fedplane.trigger'

type Clients = (region: string) => Pick<EventBridgeClient, 'send'>

/** A client for each Region that has a bus: PutEvents is asked of the bus's own. */
const clientsByRegion = (): Clients => {
  const clients = new Map<string, EventBridgeClient>()
  return (region) => {
    const client = clients.get(region) ?? new EventBridgeClient({ region, ...AWS_CLIENT_OPTIONS })
    clients.set(region, client)
    return client
  }
}

/** Of what the SDK throws, the name: its message has the ARNs of the function's role. */
const nameOf = (error: unknown): string => (error instanceof Error ? error.name : 'Error')

/** Puts events on the buses that triggers name. */
export const putOnTriggerBus =
  (clients: Clients = clientsByRegion()): PutOnBus =>
  async ({ bus, type, payload, at }) => {
    const [, , , region = ''] = bus.split(':')
    const entry = { EventBusName: bus, Source: SOURCE, DetailType: type, Detail: payload, Time: at }
    try {
      const { Entries = [] } = await clients(region).send(new PutEventsCommand({ Entries: [entry] }))
      return Entries.find(({ ErrorCode }) => ErrorCode !== undefined)?.ErrorCode
    } catch (error) {
      return nameOf(error)
    }
  }
