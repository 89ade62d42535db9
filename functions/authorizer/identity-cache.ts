import { createHash } from 'node:crypto'
import type { Clock } from '../core/ports.ts'
import type { Identity } from '../core/values/identity.ts'

/** An answer, and until when it may be given again, milliseconds since the epoch. */
export type CachedIdentity = { identity: Identity; until: number }

type Entry = { answer: Promise<CachedIdentity>; until: number }

/** Enough for the tokens in use within five minutes; about 1 KiB each. */
const ENTRIES_MAX = 1_000

/** Digests instead of tokens: a memory dump shows none, and a lookup's time tells nothing about them. */
const digest = (token: string): string => createHash('sha256').update(token).digest('base64')

/** Answers by token, the least recently used one dropped first. Those who ask at the same time share one answer; failures are not kept. */
export class IdentityCache {
  readonly #entries = new Map<string, Entry>()
  readonly #clock: Clock
  readonly #max: number

  constructor(clock: Clock, max = ENTRIES_MAX) {
    this.#clock = clock
    this.#max = max
  }

  /** @throws what `ask` throws */
  async get(token: string, ask: () => Promise<CachedIdentity>): Promise<Identity> {
    const key = digest(token)
    const known = this.#entries.get(key)
    if (known) this.#entries.delete(key)
    const entry = known && known.until > this.#clock.now().getTime() ? known : this.#ask(key, ask)
    this.#entries.set(key, entry)
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= this.#max) break
      this.#entries.delete(oldest)
    }
    return (await entry.answer).identity
  }

  #ask(key: string, ask: () => Promise<CachedIdentity>): Entry {
    const entry: Entry = { answer: ask(), until: Number.POSITIVE_INFINITY }
    entry.answer.then(
      ({ until }) => {
        entry.until = until
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
      },
    )
    return entry
  }
}
