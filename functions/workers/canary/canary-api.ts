import { setTimeout as delay } from 'node:timers/promises'
import type { Json } from '../../core/values/json.ts'
import { CanaryFailed, CanaryRefused, type Login, request } from './login.ts'

/** What the canary checks of clusters and federations. */
export type View = { uuid: string; name: string; status: string; status_reason: string | null }

export type CanaryApiOptions = {
  /** Without `/v1`. */
  url: string
  login: Login
  /** Ends every wait. */
  signal: AbortSignal
  /** Between looks, milliseconds. Default 2,000: each is a request that costs. */
  pollMs?: number
}

/** fedplane's API as a customer uses it: over its public address, with a token. */
export class CanaryApi {
  readonly #options: CanaryApiOptions

  constructor(options: CanaryApiOptions) {
    this.#options = options
  }

  /** The same, with another time to live. */
  until(signal: AbortSignal): CanaryApi {
    return new CanaryApi({ ...this.#options, signal })
  }

  async #ask(method: 'GET' | 'POST' | 'DELETE', path: string, body?: Json): Promise<unknown> {
    const { url, login, signal } = this.#options
    const { text } = await request({
      method,
      url: `${url}${path}`,
      headers: {
        [login.header]: `${login.prefix}${login.token.reveal()}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      signal,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return text === '' ? undefined : JSON.parse(text)
  }

  async get<T>(path: string): Promise<T> {
    return (await this.#ask('GET', path)) as T
  }

  /** The id of what was asked for. */
  async create(path: string, body: Json): Promise<string> {
    return ((await this.#ask('POST', path, body)) as { uuid: string }).uuid
  }

  /** Deletes, and waits until it is gone. What is not there is fine. @throws CanaryFailed when its deletion fails */
  async remove(path: string, query = ''): Promise<void> {
    if ((await this.#find(path)) === undefined) return
    await this.#ask('DELETE', `${path}${query}`)
    for (;;) {
      const view = await this.#find(path)
      if (view === undefined) return
      if (view.status === 'DELETE_FAILED') throw ended(view)
      await this.#pause()
    }
  }

  /** Waits for the end of a create. @throws CanaryFailed when it fails */
  async created<T extends View>(path: string): Promise<T> {
    for (;;) {
      const view = await this.get<T>(path)
      if (view.status === 'CREATE_COMPLETE') return view
      if (view.status !== 'CREATE_IN_PROGRESS') throw ended(view)
      await this.#pause()
    }
  }

  async #find(path: string): Promise<View | undefined> {
    try {
      return await this.get<View>(path)
    } catch (error) {
      if (error instanceof CanaryRefused && error.details.status === 404) return undefined
      throw error
    }
  }

  async #pause(): Promise<void> {
    const { signal, pollMs = 2_000 } = this.#options
    await delay(pollMs, undefined, { signal }).catch(() => {
      throw new CanaryFailed('There was no end of it in the time that the canary has.')
    })
  }
}

const ended = ({ name, status, status_reason }: View): CanaryFailed =>
  new CanaryFailed(`${name} is ${status}: ${status_reason ?? 'no reason given'}`)
