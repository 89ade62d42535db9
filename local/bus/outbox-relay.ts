import { setTimeout as pause } from 'node:timers/promises'
import type { Logger } from '../../functions/core/ports.ts'
import type { DomainEvent } from '../../functions/core/values/event.ts'
import { DELIVERY_PREFIX, EVENT_PREFIX, OBSERVE_PREFIX } from '../../functions/store/dynamodb/table-definition.ts'
import type { StreamPosition, StreamPositionStore } from './stream-position.ts'
import type { StreamRecord, StreamShards } from './stream-shards.ts'

/** Between checks a stream that had nothing new, milliseconds. Lambda looks four times a second. */
const POLL_MS = 250
const FAULT_PAUSE_MS = 2_000

export type OutboxRelayOptions = {
  shards: StreamShards
  position: StreamPositionStore
  /** The event of an outbox item; undefined when it is gone. */
  read(key: { pk: string; sk: string }): Promise<DomainEvent | undefined>
  /** @param position where in the stream it is: rises */
  publish(event: DomainEvent, position: string): Promise<void>
  /** Somebody has noted a delivery. */
  onDelivery(key: { pk: string; sk: string }): void
  /** Somebody has asked to observe a cluster, or something became of that. */
  onObserve(key: { pk: string; sk: string }): void
  log: Logger
  /** After a failed observation, milliseconds. Default 2,000. */
  faultPauseMs?: number
}

const isOutbox = ({ kind, sk }: StreamRecord): boolean => kind === 'INSERT' && sk.startsWith(EVENT_PREFIX)

/**
 * Forwards EVENT items from the table's stream, in order and at least once: the position is stored after delivery.
 */
export class OutboxRelay {
  readonly #options: OutboxRelayOptions
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  constructor(options: OutboxRelayOptions) {
    this.#options = options
    this.#running = this.#run()
  }

  /** Ends after the event under way. */
  async close(): Promise<void> {
    this.#stop.abort()
    await this.#running
    this.#options.shards.close()
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted
  }

  async #run(): Promise<void> {
    let position: StreamPosition | undefined
    while (!this.#stopped) {
      let wait = POLL_MS
      try {
        position ??= await this.#options.position.load()
        if (await this.#pollOnce(position)) wait = 0
      } catch (error) {
        position = undefined
        wait = this.#options.faultPauseMs ?? FAULT_PAUSE_MS
        if (!this.#stopped) this.#options.log.error('stream of events not read; trying again', { error })
      }
      await pause(wait, undefined, { signal: this.#stop.signal }).catch(() => undefined)
    }
  }

  /** One observation of each shard; true when there was something. Brings `position` up to date. */
  async #pollOnce(position: StreamPosition): Promise<boolean> {
    let found = false
    for (const shardId of await this.#options.shards.list()) {
      const records = await this.#options.shards.read(shardId, position[shardId])
      for (const record of records) {
        if (this.#stopped) break
        await this.#forward(record)
        position[shardId] = record.sequenceNumber
      }
      if (records.length > 0) await this.#options.position.save(position)
      found ||= records.length > 0
    }
    return found
  }

  async #forward(record: StreamRecord): Promise<void> {
    if (record.kind === 'INSERT' && record.sk.startsWith(DELIVERY_PREFIX)) this.#options.onDelivery(record)
    if (record.kind !== 'REMOVE' && record.sk.startsWith(OBSERVE_PREFIX)) this.#options.onObserve(record)
    if (!isOutbox(record)) return
    const event = await this.#options.read({ pk: record.pk, sk: record.sk })
    if (event) await this.#options.publish(event, record.sequenceNumber)
  }
}
