/** Keys that are remembered: more are in no process at a time, and a forgotten one begins anew. */
const KEYS_MAX = 10_000

/** So many at once, and then so many a second. */
export type Rate = { burst: number; perSecond: number }

/** How often each key was used lately, in bounded memory: a token bucket per key (GCRA, ITU-T I.371). */
export class Allowance {
  readonly #rate: Rate
  /** When each has used up its allowance, milliseconds of the epoch. */
  readonly #spentUntil = new Map<string, number>()

  constructor(rate: Rate) {
    this.#rate = rate
  }

  /** Counts a use. Gives 0, or in how many seconds the next one may come. */
  take(key: string, at: Date): number {
    const { burst, perSecond } = this.#rate
    const now = at.getTime()
    const spent = Math.max(now, this.#spentUntil.get(key) ?? 0)
    const ahead = spent - now - ((burst - 1) * 1000) / perSecond
    if (ahead > 0) return Math.ceil(ahead / 1000)
    // Put last, so that the one that was used the longest ago is forgotten first.
    this.#spentUntil.delete(key)
    this.#spentUntil.set(key, spent + 1000 / perSecond)
    const [oldest] = this.#spentUntil.keys()
    if (this.#spentUntil.size > KEYS_MAX && oldest !== undefined) this.#spentUntil.delete(oldest)
    return 0
  }
}
