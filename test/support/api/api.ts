import { setTimeout as delay } from 'node:timers/promises'

/** An answer of fedplane that is no success. The message is what fedplane says. */
export class ApiRefused extends Error {
  override readonly name = 'ApiRefused'
  readonly status: number

  constructor(asked: string, status: number, said: string) {
    super(`${asked} was answered ${status}: ${said}`)
    this.status = status
  }
}

/** A cluster or federation ended otherwise than it should. */
class EndedOtherwise extends Error {
  override readonly name = 'EndedOtherwise'
}

export type ClusterView = {
  uuid: string
  name: string
  status: string
  status_reason: string | null
  health_status: string | null
  coe_version: string | null
  api_address: string | null
  node_count: number
  master_count: number
  federations: { uuid: string; role: string }[]
}

export type MemberView = {
  cluster_id: string
  name: string
  state: string
  reason: string | null
  message: string | null
}

export type FederationView = {
  uuid: string
  name: string
  status: string
  status_reason: string | null
  hostcluster_id: string
  member_ids: string[]
  members: MemberView[]
  driver: string
  endpoint: string | null
}

const POLL_MS = 150

const said = (text: string): string => {
  try {
    const { errors, error } = JSON.parse(text) as { errors?: { detail: string }[]; error?: { message: string } }
    return errors?.map(({ detail }) => detail).join(' ') ?? error?.message ?? text
  } catch {
    return text
  }
}

export type Answer<T> = { status: number; body: T }

/** A client of fedplane's API, as anybody could write one. `signal` ends waiting. */
export class Api {
  readonly #url: string
  readonly #signal: AbortSignal | undefined
  readonly #headers: Record<string, string>

  /** @param options `microversion`: of Magnum's API, or `latest`. Default: the oldest */
  constructor(url: string, options: { signal?: AbortSignal; token?: string; microversion?: string } = {}) {
    const { signal, token, microversion } = options
    this.#url = url
    this.#signal = signal
    this.#headers = {
      ...(token === undefined ? {} : { 'x-auth-token': token }),
      ...(microversion === undefined ? {} : { 'openstack-api-version': `container-infra ${microversion}` }),
    }
  }

  /** The same client, whose waits nothing interrupts. */
  withoutSignal(): Api {
    const token = this.#headers['x-auth-token']
    return new Api(this.#url, token === undefined ? {} : { token })
  }

  /** A successful answer. `path` begins with `/v1/`. @throws ApiRefused */
  async ask<T = unknown>(method: string, path: string, body?: unknown): Promise<Answer<T>> {
    const answer = await fetch(`${this.#url}${path}`, {
      method,
      headers: { ...this.#headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new ApiRefused(`${method} ${path}`, answer.status, said(text))
    return { status: answer.status, body: (text === '' ? undefined : JSON.parse(text)) as T }
  }

  get<T>(path: string): Promise<T> {
    return this.ask<T>('GET', path).then(({ body }) => body)
  }

  /** Undefined when it is not there. */
  async find<T>(path: string): Promise<T | undefined> {
    try {
      return await this.get<T>(path)
    } catch (error) {
      if (error instanceof ApiRefused && error.status === 404) return undefined
      throw error
    }
  }

  /** The id of what was asked for. */
  async create(path: string, body: unknown): Promise<string> {
    return (await this.ask<{ uuid: string }>('POST', path, body)).body.uuid
  }

  /** JSON Patch on a federation's members. `force` skips what can't be reached. */
  async patch(path: string, operations: unknown): Promise<void> {
    await this.ask('PATCH', path, operations)
  }

  async delete(path: string): Promise<void> {
    await this.ask('DELETE', path)
  }

  /** Waits until it is no longer in progress. @throws EndedOtherwise unless it ends in the status that is wanted */
  async settled<T extends { status: string; status_reason: string | null; name: string }>(
    path: string,
    wanted: string,
  ): Promise<T> {
    const view = await this.until(
      () => this.get<T>(path),
      ({ status }) => !status.endsWith('_IN_PROGRESS'),
    )
    if (view.status === wanted) return view
    throw new EndedOtherwise(
      `${view.name} is ${view.status}, not ${wanted}: ${view.status_reason ?? 'no reason given'}`,
    )
  }

  /** Waits until it is no longer there. @throws EndedOtherwise when its deletion fails */
  async gone(path: string): Promise<void> {
    await this.until(
      () => this.find<{ status: string; status_reason: string | null; name: string }>(path),
      (view) => {
        if (view?.status !== 'DELETE_FAILED') return view === undefined
        throw new EndedOtherwise(`${view.name} is DELETE_FAILED: ${view.status_reason ?? 'no reason given'}`)
      },
    )
  }

  /** Looks again and again, for as long as the signal allows. fedplane's own deadlines end every wait. */
  async until<T>(look: () => Promise<T>, holds: (seen: T) => boolean): Promise<T> {
    for (;;) {
      this.#signal?.throwIfAborted()
      const seen = await look()
      if (holds(seen)) return seen
      await delay(POLL_MS)
    }
  }
}
