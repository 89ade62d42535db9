import process from 'node:process'

/**
 * Signals of the same kind within this time are one, milliseconds: Ctrl-C reaches a program from the terminal and again through npm, which passes on what it
 * got itself. A person who presses it twice takes longer.
 */
const SAME_MS = 500

type Handlers = {
  /** In good order. */
  first(): void
  /** Somebody asks again: at once. */
  again(): void
}

/** Calls `first` at the first of these signals, and `again` at each later one. */
export const onSignal = (signals: readonly NodeJS.Signals[], { first, again }: Handlers): void => {
  let firstAt: number | undefined
  const handle = (): void => {
    const now = performance.now()
    if (firstAt === undefined) {
      firstAt = now
      first()
    } else if (now - firstAt > SAME_MS) again()
  }
  for (const signal of signals) process.on(signal, handle)
}
