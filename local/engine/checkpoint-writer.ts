import type { Checkpoint } from './execution-table.ts'

/**
 * Stores the latest checkpoint of one execution. Checkpoints noted while a write is under way replace each other: only where the
 * execution is now matters, so Choice and Pass states cost no write of their own.
 */
export class CheckpointWriter {
  readonly #write: (checkpoint: Checkpoint) => Promise<void>
  readonly #onError: (error: unknown) => void
  #next: Checkpoint | undefined
  #writing: Promise<void> | undefined

  /** @param onError told of a write that failed; the execution goes on, and a restart repeats more of it */
  constructor(write: (checkpoint: Checkpoint) => Promise<void>, onError: (error: unknown) => void) {
    this.#write = write
    this.#onError = onError
  }

  note(checkpoint: Checkpoint): void {
    this.#next = checkpoint
    this.#writing ??= this.#run()
  }

  /** Resolves when what was noted is stored. */
  async flushed(): Promise<void> {
    await this.#writing
  }

  async #run(): Promise<void> {
    while (this.#next) {
      const checkpoint = this.#next
      this.#next = undefined
      await this.#write(checkpoint).catch(this.#onError)
    }
    this.#writing = undefined
  }
}
