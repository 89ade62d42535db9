import { ThreadLost } from './reading-thread.ts'

/** Threads that read alone at a time: each may need its 128 MiB. */
const AT_ONCE = 4

/** Milliseconds after which a read alone is not begun any more. Its cluster is read again in the next sweep, which others wait for too. */
const WAIT_MS = 60_000

type Waiting = { project: string; begin(): void }

/** Reads alone, so many at a time and of one project one after the other: what hangs keeps those of its own project waiting only. */
export class Alone {
  /** In the order in which they came. */
  readonly #waiting: Waiting[] = []
  /** Projects that read. */
  readonly #reading = new Set<string>()

  /** @throws ThreadLost when its turn does not come in time, and what `read` throws */
  async run<T>(project: string, read: () => Promise<T>): Promise<T> {
    await this.#turn(project)
    try {
      return await read()
    } finally {
      this.#reading.delete(project)
      this.#next()
    }
  }

  #turn(project: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      reject(new ThreadLost())
    }, WAIT_MS).unref()
    const begin = (): void => {
      clearTimeout(timer)
      resolve()
    }
    const waiting = { project, begin }
    this.#waiting.push(waiting)
    this.#next()
    return promise
  }

  #next(): void {
    while (this.#reading.size < AT_ONCE) {
      const index = this.#waiting.findIndex(({ project }) => !this.#reading.has(project))
      const [next] = index < 0 ? [] : this.#waiting.splice(index, 1)
      if (next === undefined) return
      this.#reading.add(next.project)
      next.begin()
    }
  }
}
