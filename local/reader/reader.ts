import type { Logger } from '../../functions/core/ports.ts'
import type { Connect, Connection, KubernetesClient, ReadLimits } from '../../functions/kubernetes/client.ts'
import { encodeConnection } from '../../functions/kubernetes/stored-connection.ts'
import { Alone } from './alone.ts'
import { AnswerUnreadable } from './errors.ts'
import type { Read } from './messages.ts'
import { ReadingThread, ThreadLost } from './reading-thread.ts'

export type ReaderOptions = {
  /** Opens clients in this process: for what changes something, and for connections that are dialled. */
  connect: Connect
  log: Logger
  /** Default: `reader.worker.ts`. */
  script?: URL
}

type Opened = { connection: Connection; limits: ReadLimits | undefined }
type Call = Opened & { method: Read; given: readonly unknown[] }

/** Built code has its worker built beside it. */
const WORKER = new URL(import.meta.url.endsWith('.ts') ? './reader.worker.ts' : './reader.worker.mjs', import.meta.url)

/**
 * Reads what clusters answer in a thread of its own with a limit of memory, so that a hostile one takes neither this process's time nor its memory. When the
 * thread is lost, all that was being read is read again alone, each in a thread of its own, and projects beside each other: only the cluster whose thread is
 * lost once more is reported (`AnswerUnreadable`).
 */
export class Reader {
  readonly #options: ReaderOptions
  #thread: ReadingThread | undefined
  readonly #alone = new Alone()
  readonly #threadsAlone = new Set<ReadingThread>()
  #closed = false
  #clients = 0

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  /** As `options.connect`, with the reads in the thread. */
  readonly connect: Connect = (connection, limits) => {
    const here = this.#options.connect(connection, limits)
    if (connection.dial !== undefined) return here
    return this.#clientOf({ connection, limits }, here)
  }

  /** Ends all threads; what is being read is rejected. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all([this.#thread?.end(), ...[...this.#threadsAlone].map((thread) => thread.end())])
  }

  #clientOf(opened: Opened, here: KubernetesClient): KubernetesClient {
    this.#clients += 1
    const client = this.#clients
    let openedIn: ReadingThread | undefined
    const inThread = (method: Read, given: readonly unknown[]): Promise<unknown> => {
      const thread = this.#current()
      if (openedIn !== thread) open(thread, client, opened)
      openedIn = thread
      return thread.call({ client, method, given })
    }
    /** The types of a client's methods are those of the thread's, which has the same. */
    const read = (method: Read) =>
      (async (...given: unknown[]) => {
        try {
          return await inThread(method, given)
        } catch (error) {
          if (!(error instanceof ThreadLost)) throw error
          return this.#readAlone({ ...opened, method, given })
        }
      }) as () => Promise<never>
    const readRaw: KubernetesClient['raw'] = read('raw')
    return {
      ...here,
      get: read('get'),
      list: read('list'),
      raw: (path, body) => (body === undefined ? readRaw(path) : here.raw(path, body)),
      version: read('version'),
      readHealth: read('readHealth'),
      reach: read('reach'),
      close: () => {
        here.close()
        if (openedIn?.isLost === false) openedIn.send({ kind: 'close', client })
      },
    }
  }

  #current(): ReadingThread {
    if (this.#closed) throw new ThreadLost()
    if (this.#thread === undefined || this.#thread.isLost) this.#thread = this.#start()
    return this.#thread
  }

  #start(): ReadingThread {
    return new ReadingThread(this.#options.script ?? WORKER)
  }

  #readAlone(call: Call): Promise<unknown> {
    return this.#alone.run(call.limits?.projectId ?? '', () => this.#tryAlone(call))
  }

  async #tryAlone({ method, given, ...opened }: Call): Promise<unknown> {
    const { host } = new URL(opened.connection.server)
    // Nothing is known of the cluster then.
    if (this.#closed) throw new ThreadLost()
    const thread = this.#start()
    this.#threadsAlone.add(thread)
    try {
      open(thread, 0, opened)
      return await thread.call({ client: 0, method, given })
    } catch (error) {
      if (!(error instanceof ThreadLost) || this.#closed) throw error
      this.#options.log.warn('a cluster answers what ends the thread that reads it', { host, method })
      throw unreadable(host)
    } finally {
      this.#threadsAlone.delete(thread)
      await thread.end()
    }
  }
}

const open = (thread: ReadingThread, client: number, { connection, limits }: Opened): void =>
  thread.send({ kind: 'open', client, connection: encodeConnection(connection).reveal(), limits })

const unreadable = (host: string): AnswerUnreadable =>
  new AnswerUnreadable(
    `What ${host} answers could not be read: it takes more memory or time than an answer of an API server may. Check what answers there.`,
    { details: { host } },
  )
