/** What an execution holds while it runs. */
export class Turn {
  readonly #turns: Turns
  #holds = true
  #over = false

  constructor(turns: Turns) {
    this.#turns = turns
  }

  /** It waits for time to pass, so that another may run. */
  rest(): void {
    if (!this.#holds) return
    this.#holds = false
    this.#turns.giveBack()
  }

  /** It goes on at once: it has waited already, and its deadlines run. */
  goOn(): void {
    if (this.#holds || this.#over) return
    this.#holds = true
    this.#turns.takeBack()
  }

  end(): void {
    this.#over = true
    this.rest()
  }
}

/**
 * Lets so many executions run at a time, the others in the order in which they came. Without it the steps of hundreds of executions
 * would crowd the requests out of the one process and database that they share.
 */
export class Turns {
  readonly #atOnce: number
  readonly #queue = new Map<string, (turn: Turn) => void>()
  #running = 0

  constructor(atOnce: number) {
    this.#atOnce = atOnce
  }

  /** Calls `begin` now or when its turn comes. It must not throw. */
  ask(key: string, begin: (turn: Turn) => void): void {
    this.#queue.set(key, begin)
    this.#next()
  }

  /** True while it waits for its turn. */
  has(key: string): boolean {
    return this.#queue.has(key)
  }

  /** Its turn never comes. */
  drop(key: string): void {
    this.#queue.delete(key)
  }

  /** Nobody's turn comes any more. */
  close(): void {
    this.#queue.clear()
  }

  giveBack(): void {
    this.#running--
    this.#next()
  }

  takeBack(): void {
    this.#running++
  }

  #next(): void {
    for (const [key, begin] of this.#queue) {
      if (this.#running >= this.#atOnce) return
      this.#queue.delete(key)
      this.#running++
      begin(new Turn(this))
    }
  }
}
