import { setTimeout as sleep } from 'node:timers/promises'

/** One request as the provider sends it: without a version header unless it names one. */
export type Send = (
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
  path: string,
  options?: { microversion?: string; body?: unknown },
  // biome-ignore lint/suspicious/noExplicitAny: tests look into JSON answers of every shape.
) => Promise<{ status: number; body: any; text: string }>

/** A fedplane over HTTP. `url`: without `/v1`; `headers`: those of the caller, such as `X-Auth-Token`. */
export const overHttp =
  (url: string, headers: Readonly<Record<string, string>> = {}): Send =>
  async (method, path, { microversion, body } = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { ...headersOf(microversion), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : null, text }
  }

/** Headers of gophercloud's client. */
export const headersOf = (microversion: string | undefined): Record<string, string> => ({
  Accept: 'application/json',
  'Content-Type': 'application/json',
  ...(microversion === undefined ? {} : { 'OpenStack-API-Version': `container-infra ${microversion}` }),
})

/** What the provider's waiting gives up at. */
const FAILED = ['CREATE_FAILED', 'UPDATE_FAILED', 'DELETE_FAILED', 'RESUME_FAILED', 'ROLLBACK_FAILED']

export type Wait = {
  /** Status that is waited for; `DELETE_COMPLETE` is 404. */
  target: 'CREATE_COMPLETE' | 'UPDATE_COMPLETE' | 'DELETE_COMPLETE'
  /** The only other status that may be seen meanwhile. */
  pending: 'CREATE_IN_PROGRESS' | 'UPDATE_IN_PROGRESS' | 'DELETE_IN_PROGRESS'
}

/**
 * Requests of terraform-provider-openstack with the codes that gophercloud takes, and its way to wait: another status than the two that it
 * knows of is an error at once (magnum-rest.md 10.3).
 */
export class Provider {
  readonly #send: Send
  readonly #pollMs: number
  readonly #seconds: number

  /**
   * @param pollMs between two observations; the provider has 10 or 20 s
   * @param seconds after which waiting is given up
   */
  constructor(send: Send, { pollMs = 20, seconds = 60 }: { pollMs?: number; seconds?: number } = {}) {
    this.#send = send
    this.#pollMs = pollMs
    this.#seconds = seconds
  }

  /** The answer's body. @throws Error for any other code, with the answer, as the provider prints it */
  async call(method: Parameters<Send>[0], path: string, codes: readonly number[], options: Parameters<Send>[2] = {}) {
    const { status, body, text } = await this.#send(method, path, options)
    if (codes.includes(status)) return body
    throw new Error(`${method} ${path}: expected ${codes.join(' or ')}, got ${status}: ${text}`)
  }

  /** Checks once and then again and again. */
  async wait(path: string, wait: Wait, microversion?: string): Promise<void> {
    const until = performance.now() + this.#seconds * 1000
    while (!(await this.#isReached(path, wait, microversion))) {
      if (performance.now() > until) throw new Error(`${path} is not ${wait.target} after ${this.#seconds} s`)
      await sleep(this.#pollMs)
    }
  }

  async #isReached(path: string, { target, pending }: Wait, microversion?: string): Promise<boolean> {
    const body = await this.call('GET', path, [200, 404], microversion === undefined ? {} : { microversion })
    const status: string = body?.uuid === undefined ? 'DELETE_COMPLETE' : body.status
    if (FAILED.includes(status)) throw new Error(`${path} is ${status}: ${body.status_reason}`)
    if (status === target || status === pending) return status === target
    throw new Error(`${path}: unexpected state ${status}, wanted target ${target}`)
  }
}
