import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import type { DeliveryKey } from '../core/trigger/trigger.ts'
import { deliveryOfRecord, eventOfFeedRecord } from '../store/dynamodb/stream-records.ts'
import { AWS_CLIENT_OPTIONS } from './aws-clients.ts'
import { awsTablePorts } from './aws-table-ports.ts'
import type { FanOutEnv } from './env.ts'

/** Deliveries in one invocation: its payload has at most 1 MB, and its receivers share its time. */
const KEYS_MAX = 50

const groupsOf = (keys: readonly DeliveryKey[]): DeliveryKey[][] => {
  const byTrigger = Map.groupBy(keys, ({ triggerId }) => triggerId)
  return [...byTrigger.values()].flatMap((own) =>
    Array.from({ length: Math.ceil(own.length / KEYS_MAX) }, (_, index) =>
      own.slice(index * KEYS_MAX, (index + 1) * KEYS_MAX),
    ),
  )
}

/** Has deliveries tried at once, each trigger's in an invocation of its own, which nobody waits for. One that is lost is found by the schedule. */
export const wakeDeliveries =
  (client: Pick<LambdaClient, 'send'>, functionName: string) =>
  async (keys: readonly DeliveryKey[]): Promise<void> => {
    for (const deliveries of groupsOf(keys)) {
      const Payload = JSON.stringify({ deliveries })
      await client.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }))
    }
  }

/** Federations in one invocation, whose payload has at most 1 MB. */
const FEDERATIONS_MAX = 1_000

/** Has selectors followed at once, which nobody waits for. One that is lost is found by the schedule. */
export const wakeSelectors =
  (client: Pick<LambdaClient, 'send'>, functionName: string) =>
  async (keys: readonly { projectId: string; id: string }[]): Promise<void> => {
    for (let at = 0; at < keys.length; at += FEDERATIONS_MAX) {
      const Payload = JSON.stringify({ federations: keys.slice(at, at + FEDERATIONS_MAX) })
      await client.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }))
    }
  }

/** What the function that finds triggers uses on AWS. Makes the clients, calls nothing. */
export const awsFanOut = (env: FanOutEnv) => {
  const client = new LambdaClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS })
  return {
    ports: awsTablePorts(env),
    eventOf: eventOfFeedRecord,
    deliveryOf: deliveryOfRecord,
    wake: wakeDeliveries(client, env.DELIVERIES_FUNCTION),
    wakeSelectors: wakeSelectors(client, env.SELECTORS_FUNCTION),
  }
}
