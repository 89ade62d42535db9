import type { Logger } from '../../functions/core/ports.ts'

export type JobOptions = {
  /** For the log. */
  name: string
  everyMs: number
  run(): Promise<unknown>
  log: Logger
}

/**
 * Something that runs at once, at an interval, and when it is asked for; never twice at the same time. What is asked for during a run
 * happens once more after it. Errors are logged: the next run is the retry.
 */
export class Job {
  readonly #options: JobOptions
  readonly #timer: NodeJS.Timeout
  #running: Promise<void> | undefined
  #again = false
  #closed = false

  constructor(options: JobOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#tick(), options.everyMs)
    this.#tick()
  }

  /** Runs now, or once more after the run under way. */
  trigger(): void {
    this.#again = this.#running !== undefined
    this.#tick()
  }

  /** Starts no more runs; resolves when the one under way is over. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#running
  }

  #tick(): void {
    if (this.#closed || this.#running) return
    this.#running = this.#runOnce().finally(() => {
      this.#running = undefined
      if (!this.#again) return
      this.#again = false
      this.#tick()
    })
  }

  async #runOnce(): Promise<void> {
    const { log, name, run } = this.#options
    try {
      await run()
    } catch (error) {
      if (!this.#closed) log.error('scheduled work failed; it runs again', { job: name, error })
    }
  }
}
