/**
 * Stands for `mnemonist/lru-cache` in bundles (`infra/bundle.ts`): the client of DynamoDB makes one for endpoint discovery, which is off unless it is asked
 * for, and which a bounded Map serves as well; the package is 7 KB.
 */
class LruCache<V> {
  readonly #entries = new Map<string, V>()
  readonly #capacity: number

  /** @param capacity entries; the one that was set or read longest ago goes first */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  has(key: string): boolean {
    return this.#entries.has(key)
  }

  /** Reads without counting as a use. */
  peek(key: string): V | undefined {
    return this.#entries.get(key)
  }

  get(key: string): V | undefined {
    const value = this.#entries.get(key)
    if (value !== undefined) this.set(key, value)
    return value
  }

  set(key: string, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) break
      this.#entries.delete(oldest)
    }
  }

  clear(): void {
    this.#entries.clear()
  }
}

// biome-ignore lint/style/noDefaultExport: the module that it stands for has one.
export { LruCache as default }
