/** Entries kept; beyond that the oldest go. */
const ENTRIES_MAX = 2_000

/** Milliseconds for which a value is kept in any case: one that expired before it came would be made anew by each of a hundred looks. */
const KEPT_MS_MIN = 10_000

type Entry<T> = {
  value: Promise<T> /** Epoch ms from which it is made anew; unknown while it is being made. */
  until: number
}

/** Keeps what can be made again until shortly before it expires; makes each once, however many ask at the same time. */
export class ExpiringCache<T> {
  readonly #entries = new Map<string, Entry<T>>()
  readonly #now: () => Date

  constructor(now: () => Date) {
    this.#now = now
  }

  /** @param until of a value: epoch ms from which it is not given any more. A failure is not remembered. */
  get(key: string, make: () => Promise<T>, until: (value: T) => number): Promise<T> {
    const found = this.#entries.get(key)
    if (found !== undefined && found.until > this.#now().getTime()) return found.value
    const entry: Entry<T> = { value: make(), until: Number.POSITIVE_INFINITY }
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    const forget = (): void => {
      if (this.#entries.get(key) === entry) this.#entries.delete(key)
    }
    entry.value.then((value) => {
      entry.until = Math.max(until(value), this.#now().getTime() + KEPT_MS_MIN)
    }, forget)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= ENTRIES_MAX) break
      this.#entries.delete(oldest)
    }
    return entry.value
  }

  forget(key: string): void {
    this.#entries.delete(key)
  }
}
