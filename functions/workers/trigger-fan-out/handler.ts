import type { DynamoDBRecord, DynamoDBStreamEvent } from 'aws-lambda'
import type { DeliveryKey } from '../../core/trigger/trigger.ts'
import { awsDeliveries } from '../../runtime/aws-deliveries.ts'
import { awsTablePorts } from '../../runtime/aws-table-ports.ts'
import { fanOutEnv, readEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { deliveryOfRecord, eventOfFeedRecord } from '../../store/dynamodb/stream-records.ts'
import { fanOut } from './fan-out.ts'

const parts = lazy(() => {
  const env = readEnv(fanOutEnv)
  return { ports: awsTablePorts(env), wake: awsDeliveries(env) }
})

const newDeliveries = (records: readonly DynamoDBRecord[]): DeliveryKey[] =>
  records.flatMap((record) => deliveryOfRecord(record) ?? [])

/** Lambda entry behind the table's stream: notes deliveries for events of the feeds, and has those that were noted tried at once. */
export const handler = async ({ Records }: DynamoDBStreamEvent): Promise<void> => {
  const { ports, wake } = parts()
  for (const record of Records) {
    const event = eventOfFeedRecord(record)
    if (event !== undefined) await fanOut(ports, event)
  }
  await wake(newDeliveries(Records))
}
