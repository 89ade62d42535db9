type Close = () => Promise<unknown>

/** What has been opened, to be closed in the opposite order: at the end, or when a later step of the start fails. */
export class Closers {
  readonly #closers: Close[] = []
  #closing: Promise<void> | undefined

  add(close: Close): void {
    this.#closers.push(close)
  }

  /** Closes everything, also when one of them fails; the first failure is thrown at the end. Can be called twice. */
  close(): Promise<void> {
    this.#closing ??= this.#closeAll()
    return this.#closing
  }

  async #closeAll(): Promise<void> {
    const failures: unknown[] = []
    for (const close of this.#closers.toReversed()) await close().catch((error: unknown) => failures.push(error))
    if (failures.length > 0) throw failures[0]
  }
}
