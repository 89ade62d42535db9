import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import type { ITable, Table } from 'aws-cdk-lib/aws-dynamodb'
import { EventBus } from 'aws-cdk-lib/aws-events'
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { DynamoEventSource, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { OutboxEnv, Settings } from '../../functions/runtime/env.ts'
import { TIMEOUT_SECONDS } from '../limits.ts'
import { NodeFunction } from './node-function.ts'

/** Rules of other stacks and accounts name the bus. */
const BUS_NAME = 'fedplane'

/** The stream keeps a day. */
const RECORD_AGE = Duration.hours(23)

export type OutboxProps = {
  table: Table
  /** Folder of its bundle. */
  folder: string
}

/**
 * Events of clusters and federations on a bus of their own. They are written in the transaction that changes the status, and forwarded from
 * the table's stream: none is lost, some may come twice. What can't be delivered for a day is noted in a queue.
 */
export class Outbox extends Construct {
  constructor(scope: Construct, id: string, { table, folder }: OutboxProps) {
    super(scope, id)
    const bus = new EventBus(this, 'bus', {
      eventBusName: BUS_NAME,
      description: 'fedplane: what happens to clusters and federations',
    })
    // Where Lambda notes which part of the stream it gave up.
    const undelivered = new Queue(this, 'undelivered', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const environment: Settings<OutboxEnv> = { EVENT_BUS_NAME: bus.eventBusName }
    const forwarder = new NodeFunction(this, 'outbox', {
      folder,
      description: 'fedplane: puts events on the bus',
      timeoutSeconds: TIMEOUT_SECONDS.event,
      environment,
    })
    bus.grantPutEventsTo(forwarder)
    forwarder.addEventSource(
      new DynamoEventSource(table as ITable, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 100,
        reportBatchItemFailures: true,
        bisectBatchOnError: true,
        maxRecordAge: RECORD_AGE,
        onFailure: new SqsDlq(undelivered),
        // As functions/events/outbox looks at them; the rest of the stream costs no call.
        filters: [
          FilterCriteria.filter({
            eventName: FilterRule.isEqual('INSERT'),
            dynamodb: { Keys: { sk: { S: FilterRule.beginsWith('EVENT#') } } },
          }),
        ],
      }),
    )
  }
}
