import { setTimeout as pause } from 'node:timers/promises'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { StateMachine } from 'aws-local-stepfunctions'
import type { KeyService } from '../../functions/core/ports.ts'
import { outboxEvents } from '../../functions/core/values/event.ts'
import type { EventStore } from '../../functions/store/stores.ts'
import { type Count, nothing } from './counts.ts'

type Consumed = { CapacityUnits?: number }
/** An answer of DynamoDB over the network, milliseconds; as all that is measured, it counts three times (`bill.ts`). */
const DATABASE_MS = 1
const WRITES = /^(Put|Update|Delete|TransactWrite|BatchWrite)/

/** Counts what is asked for, at the ports where it leaves fedplane. */
export class Meter {
  count: Count = nothing()

  /** Counts from now. */
  reset(): void {
    this.count = nothing()
  }

  /** The units of each request, as the database says them. */
  watchDatabase(client: DynamoDBDocumentClient): void {
    client.middlewareStack.add(
      (next, context) => async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' })
        await pause(DATABASE_MS)
        const result = await next(args)
        const { ConsumedCapacity } = result.output as { ConsumedCapacity?: Consumed | Consumed[] }
        const units = [ConsumedCapacity ?? []].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0)
        const isWrite = WRITES.test(context.commandName ?? '')
        this.count[isWrite ? 'writeUnits' : 'readUnits'] += units
        this.count[isWrite ? 'commits' : 'reads'] += 1
        return result
      },
      { step: 'initialize', name: 'cost' },
    )
  }

  watchKeys(keys: KeyService): KeyService {
    return {
      generateDataKey: (context) => this.#kms(() => keys.generateDataKey(context)),
      decrypt: (wrapped, context) => this.#kms(() => keys.decrypt(wrapped, context)),
    }
  }

  watchEvents(events: EventStore): EventStore {
    return {
      ...events,
      append: (event) => {
        this.count.events += outboxEvents(event).length
        return events.append(event)
      },
      listOf: (...args) => events.listOf(...args),
    }
  }

  async request<T>(run: () => Promise<T>): Promise<T> {
    this.count.requests += 1
    const begun = performance.now()
    try {
      return await run()
    } finally {
      this.count.requestMs += performance.now() - begun
    }
  }

  async invocation<T>(run: () => Promise<T>): Promise<T> {
    this.count.invocations += 1
    const begun = performance.now()
    try {
      return await run()
    } finally {
      this.count.invocationMs += performance.now() - begun
    }
  }

  /** Has every state machine of this process tell which states it enters, until the end of the process. */
  watchMachines(): void {
    const tap = this.#tap.bind(this)
    const run = StateMachine.prototype.run
    StateMachine.prototype.run = function (...args) {
      const running = run.apply(this, args)
      return { ...running, eventLogs: tap(running.eventLogs) }
    }
  }

  async *#tap(events: ReturnType<StateMachine['run']>['eventLogs']): ReturnType<StateMachine['run']>['eventLogs'] {
    for await (const event of events) {
      if (event.type === 'StateEntered' || event.type === 'StateRetried') this.count.transitions += 1
      yield event
    }
  }

  #kms<T>(run: () => Promise<T>): Promise<T> {
    this.count.kmsCalls += 1
    return run()
  }
}
