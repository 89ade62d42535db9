import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { httpCall, NoWholeAnswer } from '../../functions/http/http-call.ts'
import { CliError, EXIT, type ExitCode } from '../errors.ts'
import { type ClusterView, itemsOf, shapeOf, type WhoamiView } from './views.ts'

/** One part of a path. @throws CliError for an empty name */
export const segment = (name: string): string => {
  if (name === '' || name === '.' || name === '..') throw new CliError(`${JSON.stringify(name)} is no name.`)
  return encodeURIComponent(name)
}

/** A server, and how a request proves who sends it. */
export type Server = {
  /** Without `/v1` and without a slash at the end. */
  url: string
  /** PEM of the authorities that vouch for it. Default: those that this machine trusts. */
  caPem?: string | undefined
  /** Headers of each request; may fetch a token first. @throws CliError */
  headers: () => Promise<Record<string, string>>
}

/** An answer that is no success. */
class ApiRefused extends CliError {
  readonly status: number

  constructor(status: number, message: string, remedy?: string) {
    super(message, { exitCode: exitCodeOf(status), remedy })
    this.status = status
  }
}

/** There is no answer. */
export class ServerUnreachable extends CliError {}

const exitCodeOf = (status: number): ExitCode => {
  if (status === 404) return EXIT.notFound
  return status === 401 || status === 403 ? EXIT.denied : EXIT.failed
}

/** Longest wait for one answer: the API answers or fails within 29 s, API Gateway's limit. */
const ANSWER_MS = 60_000
/** Characters of an error: more says nothing to people. */
const MESSAGE_MAX = 4_000
/** A page has at most 1,000 items. */
const ANSWER_BYTES_MAX = 64_000_000

/** The server's own sentence: fedplane's and Magnum's form, Keystone's, or what a proxy says. */
const messageOf = (status: number, text: string): string => {
  try {
    const { errors, error, message } = JSON.parse(text) as {
      errors?: { detail: string }[]
      error?: { message: string }
      message?: string
    }
    const said: unknown = errors?.map(({ detail }) => detail).join(' ') ?? error?.message ?? message
    if (typeof said === 'string' && said !== '') return said.slice(0, MESSAGE_MAX)
  } catch {
    // No JSON, so no answer of fedplane.
  }
  return `The server answered ${status} with something that is no answer of fedplane.`
}

const remedyOf = (status: number, path: string): string | undefined => {
  if (status === 401) return 'fedplane login'
  const [, kind] = /^\/(federation|cluster)s\//.exec(path) ?? []
  if (status === 404 && kind !== undefined) return `fedplane ${kind} list`
  return status >= 500 ? 'The same command again in a minute.' : undefined
}

export type ApiAnswer<T> = { status: number; headers: IncomingHttpHeaders; body: T }
type Query = Readonly<Record<string, string | number | boolean | undefined>>
type Request = {
  query?: Query
  body?: unknown
  /** `Idempotency-Key`. */
  key?: string
}
type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'

const pathWith = (path: string, query: Query): string => {
  const given = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, String(value)] as [string, string]],
  )
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given)}`
}

/** Objects of the same request, each deleted since, that are passed over within a day. */
const DELETED_MAX = 50

/** fedplane's API. Paths begin with `/`, below `/v1`. */
export class ApiClient {
  readonly server: Server
  readonly #signal: AbortSignal
  #whoami: Promise<WhoamiView | undefined> | undefined

  constructor(server: Server, signal: AbortSignal) {
    this.server = server
    this.#signal = signal
  }

  /** @throws ApiRefused, ServerUnreachable */
  async ask<T>(method: Method, path: string, options: Request = {}): Promise<ApiAnswer<T>> {
    const url = new URL(`${this.server.url}/v1${pathWith(path, options.query ?? {})}`)
    const body = options.body === undefined ? undefined : JSON.stringify(options.body)
    const headers = {
      accept: 'application/json',
      'openstack-api-version': 'container-infra latest',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.key === undefined ? {} : { 'idempotency-key': options.key }),
      ...(await this.server.headers()),
    }
    const answer = await this.#call({ method, url, headers, body, caPem: this.server.caPem })
    if (answer.status >= 200 && answer.status < 300) return { ...answer, body: parse<T>(answer.body, method, path) }
    throw new ApiRefused(answer.status, messageOf(answer.status, answer.body), remedyOf(answer.status, path))
  }

  async #call(call: Omit<Parameters<typeof httpCall>[0], 'signal' | 'answerBytesMax'>) {
    const signal = AbortSignal.any([this.#signal, AbortSignal.timeout(ANSWER_MS)])
    try {
      return await httpCall({ ...call, signal, answerBytesMax: ANSWER_BYTES_MAX })
    } catch (cause) {
      this.#signal.throwIfAborted()
      if (!(cause instanceof NoWholeAnswer)) throw cause
      throw new ServerUnreachable(`${cause.message} No server answers at ${this.server.url}.`, {
        exitCode: EXIT.unreachable,
        remedy: 'fedplane doctor, or --server URL. On this machine fedplane server starts one.',
        cause,
      })
    }
  }

  /**
   * Creates what the same command line creates at this very moment, or had created when it was ended, once. What was deleted since is created anew.
   *
   * @returns its uuid
   */
  async createOnce(path: string, body: unknown): Promise<string> {
    const made = createHash('sha256').update(JSON.stringify([path, body]))
    for (let deleted = 0; deleted < DELETED_MAX; deleted += 1) {
      const key = made.copy().digest('hex')
      const { uuid } = (await this.ask<{ uuid: string }>('POST', path, { body, key })).body
      if ((await this.find(`${path}/${uuid}`)) !== undefined) return uuid
      made.update(uuid)
    }
    return (await this.ask<{ uuid: string }>('POST', path, { body })).body.uuid
  }

  async get<T>(path: string, query: Query = {}): Promise<T> {
    return (await this.ask<T>('GET', path, { query })).body
  }

  /** Undefined when it does not exist. */
  async find<T>(path: string): Promise<T | undefined> {
    try {
      return await this.get<T>(path)
    } catch (error) {
      if (error instanceof ApiRefused && error.status === 404) return undefined
      throw error
    }
  }

  /** As whom the server takes this command; undefined where it does not say. */
  whoami(): Promise<WhoamiView | undefined> {
    this.#whoami ??= this.find<WhoamiView>('/whoami')
    return this.#whoami
  }

  /**
   * A cluster of the caller's own project, by name or uuid: an administrator also sees those of others, which are not meant.
   *
   * @throws ApiRefused for a name that several of them have
   */
  async findOwnCluster(name: string): Promise<ClusterView | undefined> {
    const own = (await this.whoami())?.project_id
    const isOwn = ({ project_id: project }: ClusterView): boolean => own === undefined || project === own
    try {
      const found = await this.find<ClusterView>(`/clusters/${segment(name)}`)
      return found && isOwn(found) ? found : undefined
    } catch (error) {
      if (!(error instanceof ApiRefused) || error.status !== 409 || own === undefined) throw error
      const named = (await this.list<ClusterView>('/clusters/detail', 'clusters')).filter((each) => each.name === name)
      const [first, ...others] = named.filter(isOwn)
      if (others.length > 0) throw error
      return first
    }
  }

  /** All items of a list, page by page. `key` is the list's name in the answer. */
  async list<T>(path: string, key: string, query: Query = {}): Promise<T[]> {
    const items: T[] = []
    const seen = new Set<string>()
    let page = await this.get<Record<string, unknown>>(path, query)
    for (;;) {
      items.push(...requireItems<T>(page[key], key))
      const { next } = page
      if (typeof next !== 'string') return items
      if (seen.has(next) || !URL.canParse(next, this.server.url)) throw noAnswer()
      seen.add(next)
      // Only its parameters: the link may name the server as other clients see it.
      page = await this.get(path, Object.fromEntries(new URL(next, this.server.url).searchParams))
    }
  }
}

const noAnswer = (cause?: unknown): CliError =>
  new CliError('The server answered with something that is no answer of fedplane.', {
    remedy: 'Another --server URL: it names the server, without /v1.',
    cause,
  })

const json = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw noAnswer(cause)
  }
}

/** @throws CliError for an answer without what the command line reads of it */
const parse = <T>(text: string, method: Method, path: string): T => {
  if (text === '' && method === 'DELETE') return undefined as T
  const body = json(text)
  const { success, error } = shapeOf(method, path).safeParse(body)
  if (success) return body as T
  throw noAnswer(error)
}

/** @throws CliError for a list that is none, or whose items are not those of its name */
const requireItems = <T>(items: unknown, key: string): T[] => {
  const { success, error } = itemsOf(key).safeParse(items)
  if (success) return items as T[]
  throw noAnswer(error)
}
