/** Whose share of the places a key takes: of one owner at most so many go on at a time. */
export type Share<K> = { ownerOf(key: K): string; share: number }

export type SharedRunnerOptions<K> = {
  /** Never rejects. */
  run(key: K): Promise<void>
  /** How many go on at a time. */
  limit: number
  /** All of these hold: what hangs holds up no other owner's. */
  shares: readonly [Share<K>, ...Share<K>[]]
  /** Of an owner by the first share, so many wait at most: what goes beyond is due, and found by the next run of the schedule. */
  waitingMax: number
}

/** Does what comes as it comes, so that none waits for the schedule, and none for another owner's. */
export class SharedRunner<K> {
  readonly #options: SharedRunnerOptions<K>
  readonly #waiting: K[] = []
  readonly #running = new Map<Promise<void>, K>()
  #closed = false

  constructor(options: SharedRunnerOptions<K>) {
    this.#options = options
  }

  take(key: K): void {
    const { shares, waitingMax } = this.#options
    const [{ ownerOf }] = shares
    const own = this.#waiting.filter((waiting) => ownerOf(waiting) === ownerOf(key))
    if (this.#closed || own.length >= waitingMax) return
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
    const running = [...this.#running.values()]
    return this.#options.shares.every(
      ({ ownerOf, share }) => running.filter((other) => ownerOf(other) === ownerOf(key)).length < share,
    )
  }

  #begin(): void {
    const { run, limit } = this.#options
    while (this.#running.size < limit) {
      const index = this.#waiting.findIndex((key) => this.#mayBegin(key))
      const [key] = index < 0 ? [] : this.#waiting.splice(index, 1)
      if (key === undefined) return
      const running: Promise<void> = run(key).finally(() => {
        this.#running.delete(running)
        this.#begin()
      })
      this.#running.set(running, key)
    }
  }
}
