/** What waits at most: what goes beyond is due, and found by the next run of the schedule. */
const WAITING_MAX = 1_000

export type SharedRunnerOptions<K> = {
  /** Never rejects. */
  run(key: K): Promise<void>
  /** Whose share of the places it takes. */
  ownerOf(key: K): string
  /** How many go on at a time. */
  limit: number
  /** Of these, of one owner: what hangs holds up no other owner's. */
  share: number
}

/** Does what comes as it comes, so that none waits for the schedule, and none for another owner's. */
export class SharedRunner<K> {
  readonly #options: SharedRunnerOptions<K>
  readonly #waiting: K[] = []
  readonly #running = new Map<Promise<void>, string>()
  #closed = false

  constructor(options: SharedRunnerOptions<K>) {
    this.#options = options
  }

  take(key: K): void {
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

  #mayBegin(key: K): boolean {
    const { ownerOf, share } = this.#options
    return [...this.#running.values()].filter((id) => id === ownerOf(key)).length < share
  }

  #begin(): void {
    const { run, ownerOf, limit } = this.#options
    while (this.#running.size < limit) {
      const index = this.#waiting.findIndex((key) => this.#mayBegin(key))
      const [key] = index < 0 ? [] : this.#waiting.splice(index, 1)
      if (key === undefined) return
      const running: Promise<void> = run(key).finally(() => {
        this.#running.delete(running)
        this.#begin()
      })
      this.#running.set(running, ownerOf(key))
    }
  }
}
