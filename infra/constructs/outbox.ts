import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import { type CfnEventBus, EventBus } from 'aws-cdk-lib/aws-events'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda'
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs'
import { Construct } from 'constructs'
import type { FanOutEnv, OutboxEnv, Settings } from '../../functions/runtime/env.ts'
import {
  DELIVERY_PREFIX,
  EVENT_PREFIX,
  FEED_PARTITION,
  OBSERVE_PREFIX,
} from '../../functions/store/dynamodb/table-definition.ts'
import { acknowledge } from '../acknowledge.ts'
import { grantFeed, grantSend, grantStream, grantTable } from '../grants.ts'
import type { Installation } from '../installation.ts'
import { BUS_ARN, BUS_NAME } from '../key-policy.ts'
import { reconcilerEnvironment } from '../worker-environment.ts'
import { NodeFunction } from './node-function.ts'

/** The stream keeps a day. */
const RECORD_AGE = Duration.hours(23)

/** New items of the table whose key begins so. */
const newItems = (beginning: { pk: string } | { sk: string }) =>
  FilterCriteria.filter({
    eventName: FilterRule.isEqual('INSERT'),
    dynamodb: {
      Keys: Object.fromEntries(
        Object.entries(beginning).map(([name, prefix]) => [name, { S: FilterRule.beginsWith(prefix) }]),
      ),
    },
  })

/** Requests to observe a cluster that nobody has begun: what becomes of them costs no call. */
const observeRequests = () =>
  FilterCriteria.filter({
    dynamodb: {
      Keys: { sk: { S: FilterRule.beginsWith(OBSERVE_PREFIX) } },
      NewImage: { askedAt: { S: FilterRule.exists() } },
    },
  })

export type OutboxProps = {
  installation: Installation
  /** Tries the deliveries of triggers. */
  deliveries: NodeFunction
  /** Observes clusters. */
  sweep: NodeFunction
  /** Follows selectors. */
  selectors: NodeFunction
}

/**
 * Events of clusters and federations on a bus of their own. They are written in the transaction that changes the status, and forwarded from
 * the table's stream: none is lost, some may come twice. What can't be delivered for a day is noted in a queue.
 */
export class Outbox extends Construct {
  readonly bus: EventBus
  /** Where Lambda notes which part of the stream it gave up. */
  readonly undelivered: Queue
  /** Where EventBridge puts what it could not encrypt. */
  readonly refused: Queue
  readonly forwarder: NodeFunction
  /** Notes deliveries of triggers for events of the feeds. */
  readonly fanOut: NodeFunction

  constructor(scope: Construct, id: string, props: OutboxProps) {
    super(scope, id)
    const { installation } = props
    const { data } = installation
    this.refused = new Queue(this, 'refused', {
      // Not by our key: it is for when that can't be used.
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.DESTROY,
    })
    this.refused.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.refused.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': BUS_ARN } },
      }),
    )
    this.bus = new EventBus(this, 'bus', {
      eventBusName: BUS_NAME,
      deadLetterQueue: this.refused,
      description: 'fedplane: what happens to clusters and federations',
    })
    // As a property of CDK's it would name the bus in the key's policy, which is in a stack that this one needs: `key-policy.ts` has it.
    ;(this.bus.node.defaultChild as CfnEventBus).kmsKeyIdentifier = data.storageKey.keyArn
    this.undelivered = new Queue(this, 'undelivered', {
      encryption: QueueEncryption.KMS,
      encryptionMasterKey: data.storageKey,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.DESTROY,
    })
    const last = 'It is where is noted what could not be delivered.'
    for (const queue of [this.undelivered, this.refused]) {
      acknowledge(queue, 'AwsSolutions-SQS3', last)
      acknowledge(queue, 'Serverless-SQSRedrivePolicy', last)
    }
    const environment: Settings<OutboxEnv> = { TABLE_NAME: data.table.tableName, EVENT_BUS_NAME: this.bus.eventBusName }
    this.forwarder = new NodeFunction(this, 'outbox', {
      installation,
      kind: 'event',
      bundle: 'event-outbox',
      description: 'fedplane: puts events on the bus and into the feeds',
      environment,
    })
    this.bus.grantPutEventsTo(this.forwarder)
    grantFeed(this.forwarder, data)
    this.#readStream(this.forwarder, installation, [newItems({ sk: EVENT_PREFIX })])
    this.fanOut = this.#addFanOut(props)
    this.#readStream(this.fanOut, installation, [
      newItems({ pk: FEED_PARTITION }),
      newItems({ sk: DELIVERY_PREFIX }),
      observeRequests(),
    ])
  }

  #addFanOut({ installation, deliveries, sweep, selectors }: OutboxProps): NodeFunction {
    const environment: Settings<FanOutEnv> = {
      ...reconcilerEnvironment(installation),
      DELIVERIES_FUNCTION: deliveries.functionName,
      SWEEP_FUNCTION: sweep.functionName,
      SELECTORS_FUNCTION: selectors.functionName,
    }
    const fanOut = new NodeFunction(this, 'fan-out', {
      installation,
      kind: 'event',
      bundle: 'event-trigger-fan-out',
      description: 'fedplane: finds the triggers of events',
      environment,
    })
    grantTable(fanOut, installation.data)
    fanOut.addToRolePolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [deliveries.functionArn, sweep.functionArn, selectors.functionArn],
      }),
    )
    return fanOut
  }

  /** @param filters as the function checks them; the rest of the stream costs no call */
  #readStream(reader: NodeFunction, { data }: Installation, filters: Record<string, unknown>[]): void {
    grantStream(reader, data)
    grantSend(reader, this.undelivered, data)
    reader.addEventSourceMapping('stream', {
      eventSourceArn: data.table.tableStreamArn ?? '',
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: 100,
      reportBatchItemFailures: true,
      bisectBatchOnError: true,
      maxRecordAge: RECORD_AGE,
      onFailure: { bind: () => ({ destination: this.undelivered.queueArn }) },
      filters,
    })
  }
}
