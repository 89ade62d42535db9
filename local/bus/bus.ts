import type { Logger } from '../../functions/core/ports.ts'
import type { BusEvent } from './bus-event.ts'

export type Subscriber = {
  /** For the log. */
  name: string
  handle(event: BusEvent): void | Promise<void>
}

/** EventBridge in this process: hands each event to every subscriber, one event after the other, in the order of publishing. */
export class Bus {
  readonly #log: Logger
  readonly #subscribers: Subscriber[] = []
  #tail: Promise<void> = Promise.resolve()

  constructor(log: Logger) {
    this.#log = log
  }

  subscribe(subscriber: Subscriber): void {
    this.#subscribers.push(subscriber)
  }

  /** Resolves when every subscriber has had it. A subscriber's error is logged, and keeps nothing from the others. */
  publish(event: BusEvent): Promise<void> {
    this.#tail = this.#tail.then(() => this.#deliver(event))
    return this.#tail
  }

  async #deliver(event: BusEvent): Promise<void> {
    for (const { name, handle } of this.#subscribers) {
      try {
        await handle(event)
      } catch (error) {
        this.#log.error('event not handled', { subscriber: name, event: event['detail-type'], id: event.id, error })
      }
    }
  }
}

const isNotification = (event: BusEvent): boolean => event['detail-type'].startsWith('magnum.')

/** A subscriber that writes a line for each event; for notifications at debug, since each tells again what the event before it does. */
export const logSubscriber = (log: Logger): Subscriber => ({
  name: 'log',
  handle: (event) =>
    log[isNotification(event) ? 'debug' : 'info']('event', { type: event['detail-type'], detail: event.detail }),
})
