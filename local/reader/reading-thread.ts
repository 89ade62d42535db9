import { Worker } from 'node:worker_threads'
import { received } from './errors.ts'
import type { Answered, Asked } from './messages.ts'

/** MiB of JavaScript objects; a thread that needs more is ended, and this process goes on. What clients read at a time needs a tenth. */
const HEAP_MIB = 128
const YOUNG_MIB = 16

/** Milliseconds after which a call counts as hung: one answer takes 15 s at most, the nodes of a cluster 45 s. */
const HUNG_MS = 60_000

/** What was asked ended with the thread, whoever's fault that is. */
export class ThreadLost extends Error {
  override readonly name = 'ThreadLost'

  constructor() {
    super('The thread that reads from clusters ended before there was an answer. The next sweep reads again.')
  }
}

type Waiting = { resolve(value: unknown): void; reject(error: Error): void; timer: NodeJS.Timeout }

/** A thread that reads. Once it is lost, all calls to it are rejected with ThreadLost. */
export class ReadingThread {
  readonly #worker: Worker
  readonly #waiting = new Map<number, Waiting>()
  #lost = false
  #last = 0

  constructor(script: URL) {
    this.#worker = new Worker(script, {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB, maxYoungGenerationSizeMb: YOUNG_MIB },
      // What this process was started with concerns this process.
      execArgv: [],
    })
    this.#worker.unref()
    this.#worker.on('message', (answered: Answered) => this.#answer(answered))
    this.#worker.on('error', () => this.#lose())
    this.#worker.on('exit', () => this.#lose())
  }

  get isLost(): boolean {
    return this.#lost
  }

  send(asked: Exclude<Asked, { kind: 'call' }>): void {
    this.#worker.postMessage(asked)
  }

  /** @throws ThreadLost, and what the client throws */
  call(asked: Omit<Extract<Asked, { kind: 'call' }>, 'kind' | 'id'>): Promise<unknown> {
    if (this.#lost) return Promise.reject(new ThreadLost())
    this.#last += 1
    const id = this.#last
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    const timer = setTimeout(() => void this.end(), HUNG_MS)
    this.#waiting.set(id, { resolve, reject, timer })
    this.#worker.postMessage({ kind: 'call', id, ...asked } satisfies Asked)
    return promise
  }

  async end(): Promise<void> {
    this.#lose()
    await this.#worker.terminate()
  }

  #answer(answered: Answered): void {
    const waiting = this.#waiting.get(answered.id)
    if (waiting === undefined) return
    this.#waiting.delete(answered.id)
    clearTimeout(waiting.timer)
    if ('error' in answered) waiting.reject(received(answered.error))
    else waiting.resolve(answered.value)
  }

  #lose(): void {
    this.#lost = true
    for (const { reject, timer } of this.#waiting.values()) {
      clearTimeout(timer)
      reject(new ThreadLost())
    }
    this.#waiting.clear()
  }
}
