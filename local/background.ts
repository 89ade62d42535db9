import { GetCommand } from '@aws-sdk/lib-dynamodb'
import type { Ports } from '../functions/core/ports.ts'
import { noteForSelectors } from '../functions/core/selector/note.ts'
import { type DomainEvent, outboxEvents } from '../functions/core/values/event.ts'
import { WORKER_SECONDS } from '../functions/core/values/workers.ts'
import { systemResolver } from '../functions/kubernetes/address-guard.ts'
import { eventItem } from '../functions/store/dynamodb/event.schema.ts'
import { parseItem } from '../functions/store/dynamodb/item.schema.ts'
import { deliveryKeyParts, observeKeyParts } from '../functions/store/dynamodb/keys.ts'
import { observeRequested } from '../functions/workers/health-sweep/observe-requested.ts'
import { sweepHealth } from '../functions/workers/health-sweep/sweep.ts'
import { reconcile } from '../functions/workers/reconciler/reconcile.ts'
import { renewDue } from '../functions/workers/renewals/renew.ts'
import { follow, followDue } from '../functions/workers/selectors/follow-due.ts'
import { deliver, deliverDue } from '../functions/workers/trigger-deliveries/deliver.ts'
import type { Sending } from '../functions/workers/trigger-deliveries/post.ts'
import { fanOut } from '../functions/workers/trigger-fan-out/fan-out.ts'
import { type Bus, logSubscriber } from './bus/bus.ts'
import { EXECUTION_STATUS_CHANGE } from './bus/bus-event.ts'
import type { FeedSignal } from './bus/feed-signal.ts'
import { OutboxRelay } from './bus/outbox-relay.ts'
import { deliveryRunner, observationRunner } from './bus/runners.ts'
import { SelectorRunner } from './bus/selector-runner.ts'
import { dynamoStreamPosition } from './bus/stream-position.ts'
import { openStreamShards } from './bus/stream-shards.ts'
import { type Database, TABLE } from './database.ts'
import type { Engine } from './engine/engine.ts'
import { Reader } from './reader/reader.ts'
import { Job } from './schedule/job.ts'
import { withinTimeout } from './within-timeout.ts'

/** How long the end waits for work under way, milliseconds; all of it can be repeated. */
const CLOSE_TIMEOUT_MS = 1_000

export type BackgroundParts = { ports: Ports; engine: Engine; bus: Bus; database: Database; feedSignal: FeedSignal }

const sendingOf = ({ addressPolicy }: Ports): Sending => ({ policy: addressPolicy, resolver: systemResolver })

/** What is done at once when the stream shows that somebody asks for it. */
const makeRunners = (ports: Ports, reader: Reader) => ({
  deliveries: deliveryRunner((key) => deliver(ports, key, sendingOf(ports))),
  observations: observationRunner((key) => observeRequested({ ...ports, connect: reader.connect }, key)),
  selectors: new SelectorRunner((key) => follow(ports, key)),
})
type Runners = ReturnType<typeof makeRunners>

const startRelay = async (
  { ports, bus, database, feedSignal }: BackgroundParts,
  { deliveries, observations, selectors }: Runners,
): Promise<OutboxRelay> => {
  const shards = await openStreamShards(database.connection, TABLE)
  const read = async (key: { pk: string; sk: string }): Promise<DomainEvent | undefined> => {
    const { Item } = await database.client.send(new GetCommand({ TableName: TABLE, Key: key, ConsistentRead: true }))
    return Item && parseItem(eventItem, Item).event
  }
  return new OutboxRelay({
    shards,
    position: dynamoStreamPosition(database.client, shards.streamArn),
    read,
    publish: async (event, position) => {
      await ports.stores.events.publish({ position, event })
      feedSignal.notify(event.projectId)
      await fanOut(ports, event)
      for (const key of await noteForSelectors(ports, event)) selectors.take(key)
      for (const it of outboxEvents(event)) await bus.publish(it)
    },
    onDelivery: (key) => deliveries.take(deliveryKeyParts(key)),
    onObserve: (key) => observations.take(observeKeyParts(key)),
    log: ports.log,
  })
}

/** What EventBridge Scheduler and rules start on AWS. Each may run at any time, and twice. */
const startSchedule = ({ ports, engine, bus }: BackgroundParts, reader: Reader): Job[] => {
  const every = (seconds: number, name: string, run: () => Promise<unknown>): Job =>
    new Job({ name, everyMs: seconds * 1000, run, log: ports.log })
  const reconciler = every(WORKER_SECONDS.reconciler, 'reconcile', () => reconcile(ports))
  bus.subscribe({
    name: 'reconciler',
    handle: (event) => {
      if (event['detail-type'] === EXECUTION_STATUS_CHANGE) reconciler.trigger()
    },
  })
  const resume = async (): Promise<void> => {
    const resumed = await engine.resume()
    if (resumed > 0) ports.log.info('executions resumed', { count: resumed })
  }
  return [
    every(60, 'resume-executions', resume),
    reconciler,
    every(WORKER_SECONDS.renewals, 'renew-credentials', () => renewDue(ports)),
    every(WORKER_SECONDS['health-sweep'], 'sweep-health', () => sweepHealth({ ...ports, connect: reader.connect })),
    every(WORKER_SECONDS['trigger-deliveries'], 'trigger-deliveries', () => deliverDue(ports, sendingOf(ports))),
    every(WORKER_SECONDS.selectors, 'selectors', () => followDue(ports)),
    every(3600, 'prune-executions', () => engine.prune()),
  ]
}

/**
 * What goes on beside requests, once the server answers: the schedule begins, first of all taking up executions that a former process
 * left open, and events are relayed.
 */
export const startBackground = async (parts: BackgroundParts): Promise<{ close(): Promise<void> }> => {
  parts.bus.subscribe(logSubscriber(parts.ports.log))
  const reader = new Reader(parts.ports)
  const jobs = startSchedule(parts, reader)
  const runners = makeRunners(parts.ports, reader)
  const closeRunners = () => Promise.all(Object.values(runners).map((runner) => runner.close()))
  const closeJobs = () => Promise.all([reader.close(), closeRunners(), ...jobs.map((job) => job.close())])
  try {
    const relay = await startRelay(parts, runners)
    return { close: () => withinTimeout(Promise.all([relay.close(), closeJobs()]), CLOSE_TIMEOUT_MS) }
  } catch (error) {
    await closeJobs()
    throw error
  }
}
