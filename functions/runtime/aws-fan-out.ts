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

/** What the function that finds triggers uses on AWS. Makes the clients, calls nothing. */
export const awsFanOut = (env: FanOutEnv) => ({
  ports: awsTablePorts(env),
  eventOf: eventOfFeedRecord,
  deliveryOf: deliveryOfRecord,
  wake: wakeDeliveries(new LambdaClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS }), env.DELIVERIES_FUNCTION),
})
