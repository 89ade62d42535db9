/** Posts that one hook may have in one process: so many at once, and then so many a second. */
const BURST = 50
const PER_SECOND = 10
/** Hooks that are remembered: more are in no process at a time, and a forgotten one begins anew. */
const HOOKS_MAX = 10_000

/** How often something was posted to hooks lately, in bounded memory. A flood is refused before it reaches what others share. */
export class HookPosts {
  /** When each has used up its allowance, milliseconds of the epoch. */
  readonly #spentUntil = new Map<string, number>()

  /** Counts a post. Gives 0, or in how many seconds the next one may come. */
  take(digest: string, at: Date): number {
    const now = at.getTime()
    const spent = Math.max(now, this.#spentUntil.get(digest) ?? 0)
    const ahead = spent - now - ((BURST - 1) * 1000) / PER_SECOND
    if (ahead > 0) return Math.ceil(ahead / 1000)
    // Put last, so that the one that was posted to the longest ago is forgotten first.
    this.#spentUntil.delete(digest)
    this.#spentUntil.set(digest, spent + 1000 / PER_SECOND)
    const [oldest] = this.#spentUntil.keys()
    if (this.#spentUntil.size > HOOKS_MAX && oldest !== undefined) this.#spentUntil.delete(oldest)
    return 0
  }
}
