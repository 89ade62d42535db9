import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import type { ObserveKey } from '../core/cluster/observe-request.ts'
import type { DeliveryKey } from '../core/trigger/trigger.ts'
import { deliveryOfRecord, eventOfFeedRecord, observeOfRecord } from '../store/dynamodb/stream-records.ts'
import { AWS_CLIENT_OPTIONS } from './aws-clients.ts'
import { awsTablePorts } from './aws-table-ports.ts'
import type { FanOutEnv } from './env.ts'
import { publishMetrics } from './metrics.ts'
import { passingOver } from './passing-over.ts'

/** Keys in one invocation: its payload has at most 1 MB, and what they stand for shares its time. */
const KEYS_MAX = 50

const chunksOf = <K>(keys: readonly K[], max: number): K[][] =>
  Array.from({ length: Math.ceil(keys.length / max) }, (_, index) => keys.slice(index * max, (index + 1) * max))

const groupsOf = <K>(keys: readonly K[], ownerOf: (key: K) => string): K[][] =>
  [...Map.groupBy(keys, ownerOf).values()].flatMap((own) => chunksOf(own, KEYS_MAX))

type Client = Pick<LambdaClient, 'send'>

/** Begins an invocation for each, which nobody waits for. One that is lost is found by the schedule. */
const invokeEach = async (client: Client, functionName: string, payloads: readonly object[]): Promise<void> => {
  for (const payload of payloads) {
    const Payload = JSON.stringify(payload)
    await client.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }))
  }
}

/** Has deliveries tried at once, each trigger's in an invocation of its own. */
export const wakeDeliveries =
  (client: Client, functionName: string) =>
  (keys: readonly DeliveryKey[]): Promise<void> => {
    const groups = groupsOf(keys, ({ triggerId }) => triggerId)
    return invokeEach(
      client,
      functionName,
      groups.map((deliveries) => ({ deliveries })),
    )
  }

/** Has clusters observed at once, each project's in an invocation of its own. */
export const wakeObservations =
  (client: Client, functionName: string) =>
  (keys: readonly ObserveKey[]): Promise<void> => {
    const groups = groupsOf(keys, ({ projectId }) => projectId)
    return invokeEach(
      client,
      functionName,
      groups.map((observe) => ({ observe })),
    )
  }

/** Federations in one invocation, whose payload has at most 1 MB. */
const FEDERATIONS_MAX = 1_000

/** Has selectors followed at once. */
export const wakeSelectors =
  (client: Client, functionName: string) =>
  (keys: readonly { projectId: string; id: string }[]): Promise<void> =>
    invokeEach(
      client,
      functionName,
      chunksOf(keys, FEDERATIONS_MAX).map((federations) => ({ federations })),
    )

/** What the function that finds triggers uses on AWS. Makes the clients, calls nothing. */
export const awsFanOut = (env: FanOutEnv) => {
  const client = new LambdaClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS })
  const ports = awsTablePorts(env)
  return {
    ports,
    eventOf: passingOver(eventOfFeedRecord, { log: ports.log, publish: publishMetrics() }),
    deliveryOf: deliveryOfRecord,
    observeOf: observeOfRecord,
    wake: wakeDeliveries(client, env.DELIVERIES_FUNCTION),
    observe: wakeObservations(client, env.SWEEP_FUNCTION),
    wakeSelectors: wakeSelectors(client, env.SELECTORS_FUNCTION),
  }
}
