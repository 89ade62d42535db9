import { setTimeout as delay } from 'node:timers/promises'

/** A request as a client sends it. */
export type Sent = {
  method: string
  /** From `/v1/` on. */
  path: string
  /** Value of `OpenStack-API-Version`; absent sends none. */
  version?: string
  headers?: Record<string, string>
  /** JSON; text goes as it is. */
  body?: unknown
}

export type Answered<T = Record<string, unknown>> = { status: number; headers: Headers; body: T }

export type Status = { uuid: string; status: string; status_reason: string | null }

const POLL_MS = 100
/** More than anything takes that a test waits for. */
const LIMIT_MS = 240_000

/** Requests to fedplane's API with headers as given, and answers as they come. */
export class Traffic {
  readonly #url: string
  readonly #headers: Record<string, string>

  /** `url` without `/v1`. */
  constructor(url: string, headers: Record<string, string> = {}) {
    this.#url = url
    this.#headers = headers
  }

  async send<T = Record<string, unknown>>({ method, path, version, headers, body }: Sent): Promise<Answered<T>> {
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: {
        ...this.#headers,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(version === undefined ? {} : { 'openstack-api-version': version }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    return { status: answer.status, headers: answer.headers, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }

  /** A read at the newest version. @throws when it is none */
  async get<T = Record<string, unknown>>(path: string): Promise<T> {
    const { status, body } = await this.send<T>({ method: 'GET', path, version: 'container-infra latest' })
    if (status !== 200) throw new Error(`GET ${path} is ${status}: ${JSON.stringify(body)}`)
    return body
  }

  /** Waits until it is no longer in progress, and gives what it is then. */
  async settled<T extends Status = Status & Record<string, unknown>>(path: string): Promise<T> {
    const deadline = Date.now() + LIMIT_MS
    for (;;) {
      const view = await this.get<T>(path)
      if (!view.status.endsWith('_IN_PROGRESS')) return view
      if (Date.now() > deadline) throw new Error(`${path} is still ${view.status} after ${LIMIT_MS} ms`)
      await delay(POLL_MS)
    }
  }

  /** Waits until it is 404. */
  async gone(path: string): Promise<void> {
    const deadline = Date.now() + LIMIT_MS
    for (;;) {
      const { status, body } = await this.send({ method: 'GET', path, version: 'container-infra latest' })
      if (status === 404) return
      if (Date.now() > deadline) throw new Error(`${path} is still there after ${LIMIT_MS} ms: ${JSON.stringify(body)}`)
      await delay(POLL_MS)
    }
  }
}
