/** Tells readers of a project's feed in this process that it has grown. */
export class FeedSignal {
  readonly #waiting = new Map<string, Set<() => void>>()

  /** To be called when the event is in the feed. */
  notify(projectId: string): void {
    for (const wake of this.#waiting.get(projectId) ?? []) wake()
  }

  /** Resolves at the next `notify` of the project, after so many milliseconds, or when the signal is given. */
  readonly changed = (projectId: string, milliseconds: number, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.resolve()
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = this.#waiting.get(projectId) ?? new Set()
    this.#waiting.set(projectId, waiting.add(resolve))
    const timer = setTimeout(resolve, milliseconds)
    const stop = (): void => resolve()
    signal.addEventListener('abort', stop, { once: true })
    return promise.finally(() => {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      waiting.delete(resolve)
      if (waiting.size === 0 && this.#waiting.get(projectId) === waiting) this.#waiting.delete(projectId)
    })
  }
}
