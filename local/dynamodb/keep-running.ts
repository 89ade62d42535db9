import { setTimeout as pause } from 'node:timers/promises'
import { EmbeddedDynamoDbFailed } from './errors.ts'
import type { GuardedChild } from './guarded-child.ts'

const MINUTE_MS = 60_000
/** Ends within a minute after which it is not started again any more. */
const ENDS_MAX = 5
/** Before the second start within a minute, milliseconds, doubled each time: what ends it may go by itself (a port, a full disk). */
const PAUSE_MS = 50

export type KeepRunningOptions = {
  /** Starts it again: same arguments, same port, same file. */
  again(): Promise<GuardedChild>
  /** Resolves when it answers, or it is over. @throws EmbeddedDynamoDbFailed when it does not in time */
  untilAnswers(over: AbortSignal): Promise<void>
  /** Told, when it answers again, how the one before ended. */
  onRestart(end: string): void
  /** Told when it is given up; it is stopped then. */
  onLost(error: unknown): void
}

/**
 * Starts the database again whenever it ends unasked (killed, crashed), until that happens too often or it does not answer.
 * Whoever uses it needs a retry only.
 */
export class KeepRunning {
  readonly #options: KeepRunningOptions
  readonly #over = new AbortController()
  readonly #running: Promise<void>
  #child: GuardedChild
  #ends: number[] = []

  constructor(child: GuardedChild, options: KeepRunningOptions) {
    this.#child = child
    this.#options = options
    this.#running = this.#run()
  }

  /** Of the one that runs now. */
  get pid(): number {
    return this.#child.pid
  }

  /** Ends it for good. Can be called twice. */
  async stop(): Promise<void> {
    this.#over.abort()
    await this.#child.stop()
    await this.#running
  }

  get #stopped(): boolean {
    return this.#over.signal.aborted
  }

  async #run(): Promise<void> {
    try {
      while (!this.#stopped) await this.#startAfter(await this.#child.ended)
    } catch (error) {
      if (!this.#stopped) this.#options.onLost(error)
    }
    // Also one that was started in the moment of `stop`.
    await this.#child.stop()
  }

  async #startAfter(end: string): Promise<void> {
    if (this.#stopped) return
    const now = Date.now()
    this.#ends = [...this.#ends.filter((time) => time > now - MINUTE_MS), now]
    const count = this.#ends.length
    if (count > ENDS_MAX) {
      const how = end.replaceAll('\n', '; ')
      throw new EmbeddedDynamoDbFailed(
        `The embedded DynamoDB ended ${count} times within a minute, at last with ${how}.`,
      )
    }
    if (count > 1) await pause(PAUSE_MS * 2 ** (count - 2), undefined, { signal: this.#over.signal })
    this.#child = await this.#options.again()
    if (!this.#stopped && (await this.#answers())) this.#options.onRestart(end)
  }

  /** False when it ended before. */
  async #answers(): Promise<boolean> {
    const settled = new AbortController()
    const over = AbortSignal.any([settled.signal, this.#over.signal])
    try {
      const answered = this.#options.untilAnswers(over).then(() => !this.#stopped)
      return await Promise.race([answered, this.#child.ended.then(() => false)])
    } finally {
      settled.abort()
    }
  }
}
