import type { DeliveryKey } from '../../functions/core/trigger/trigger.ts'

/** Deliveries tried at a time, of these of one project, and of these of one trigger: a receiver that hangs has its 10 s each time. */
const LIMIT = 40
const PROJECT_LIMIT = 8
const TRIGGER_LIMIT = 2
/** Those of a project that wait: what goes beyond is due, and found by the next run of the schedule. */
const WAITING_MAX = 200

/** Tries deliveries as they come, so that none waits for the schedule, and none for another project's receivers. */
export class DeliveryRunner {
  readonly #deliver: (key: DeliveryKey) => Promise<void>
  readonly #waiting: DeliveryKey[] = []
  readonly #running = new Map<Promise<void>, DeliveryKey>()
  #closed = false

  /** @param deliver never rejects */
  constructor(deliver: (key: DeliveryKey) => Promise<void>) {
    this.#deliver = deliver
  }

  take(key: DeliveryKey): void {
    const own = this.#waiting.filter(({ projectId }) => projectId === key.projectId)
    if (this.#closed || own.length >= WAITING_MAX) return
    this.#waiting.push(key)
    this.#begin()
  }

  /** Begins no more; resolves when those under way are over. */
  async close(): Promise<void> {
    this.#closed = true
    this.#waiting.length = 0
    await Promise.all(this.#running.keys())
  }

  #mayBegin({ projectId, triggerId }: DeliveryKey): boolean {
    const own = [...this.#running.values()].filter((key) => key.projectId === projectId)
    return own.length < PROJECT_LIMIT && own.filter((key) => key.triggerId === triggerId).length < TRIGGER_LIMIT
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
      this.#running.set(run, key)
    }
  }
}
