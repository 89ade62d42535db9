type FederationKey = { projectId: string; id: string }

/** Follows selectors as events come: of one federation one at a time, and at most one more that waits. */
export class SelectorRunner {
  readonly #follow: (key: FederationKey) => Promise<void>
  readonly #running = new Map<string, Promise<void>>()
  readonly #again = new Set<string>()
  #isClosed = false

  /** @param follow never rejects */
  constructor(follow: (key: FederationKey) => Promise<void>) {
    this.#follow = follow
  }

  take(key: FederationKey): void {
    if (this.#isClosed) return
    if (this.#running.has(key.id)) this.#again.add(key.id)
    else this.#running.set(key.id, this.#run(key))
  }

  /** Begins no more; resolves when those under way are over. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.all(this.#running.values())
  }

  async #run(key: FederationKey): Promise<void> {
    do {
      this.#again.delete(key.id)
      await this.#follow(key)
    } while (this.#again.has(key.id) && !this.#isClosed)
    this.#running.delete(key.id)
  }
}
