import type { DeliveryKey } from '../../functions/core/trigger/trigger.ts'

/** Deliveries tried at a time, and of these of one trigger: a receiver that hangs has its 10 s each time. */
const LIMIT = 20
const TRIGGER_LIMIT = 2
/** Those that wait: what goes beyond is due, and found by the next run of the schedule. */
const WAITING_MAX = 1_000

/** Tries deliveries as they come, so that none waits for the schedule, and none for another trigger's receiver. */
export class DeliveryRunner {
  readonly #deliver: (key: DeliveryKey) => Promise<void>
  readonly #waiting: DeliveryKey[] = []
  readonly #running = new Map<Promise<void>, string>()
  #closed = false

  /** @param deliver never rejects */
  constructor(deliver: (key: DeliveryKey) => Promise<void>) {
    this.#deliver = deliver
  }

  take(key: DeliveryKey): void {
    if (this.#closed || this.#waiting.length >= WAITING_MAX) return
    this.#waiting.push(key)
    this.#begin()
  }

  /** Begins no more; resolves when those under way are over. */
  async close(): Promise<void> {
    this.#closed = true
    this.#waiting.length = 0
    await Promise.all(this.#running.keys())
  }

  #mayBegin({ triggerId }: DeliveryKey): boolean {
    return [...this.#running.values()].filter((id) => id === triggerId).length < TRIGGER_LIMIT
  }

  #begin(): void {
    while (this.#running.size < LIMIT) {
      const index = this.#waiting.findIndex((key) => this.#mayBegin(key))
      const [key] = index < 0 ? [] : this.#waiting.splice(index, 1)
      if (key === undefined) return
      const run: Promise<void> = this.#deliver(key).finally(() => {
        this.#running.delete(run)
        this.#begin()
      })
      this.#running.set(run, key.triggerId)
    }
  }
}
