import type { IncomingMessage, ServerResponse } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { CredentialsStandIn, type TokenFacts } from './keystone-credentials.ts'
import {
  type Answer,
  bodyOf,
  type Loopback,
  makeTrouble,
  sendAnswer,
  sendJson,
  startLoopback,
  type Trouble,
} from './loopback.ts'

export const SERVICE_SECRET = 'service-secret-that-must-not-be-seen'

/** What the stand-in takes for our service: an application credential, or a password. */
const GOOD_AUTH = (secret: string): unknown[] => [
  {
    identity: { methods: ['application_credential'], application_credential: { id: 'fedplane', secret } },
  },
  {
    identity: {
      methods: ['password'],
      password: { user: { name: 'fedplane', password: secret, domain: { name: 'Default' } } },
    },
    scope: { project: { name: 'service', domain: { name: 'Default' } } },
  },
]

export type Scope = 'project' | 'domain' | 'system' | 'none'

export type StandInToken = {
  expiresAt: Date
  userId?: string
  projectId?: string
  scope?: Scope
  roles?: readonly string[]
  /** Got with an application credential. */
  by?: { id: string; unrestricted: boolean }
  /** Of a user who came through an identity provider of Keystone's. */
  federated?: boolean
}

const factsOf = ({ userId = 'ana', projectId = 'shop', roles = ['member', 'reader'], by, federated }: StandInToken) =>
  ({ userId, projectId, roles, by, federated }) satisfies TokenFacts

const scopeOf = ({ scope = 'project', projectId = 'shop' }: StandInToken): Record<string, unknown> => {
  const domain = { id: 'default', name: 'Default' }
  if (scope === 'project') return { project: { id: projectId, name: 'Shop', domain } }
  if (scope === 'domain') return { domain }
  return scope === 'system' ? { system: { all: true } } : {}
}

const described = (token: StandInToken): { token: object } => ({
  token: {
    methods: [token.by === undefined ? 'password' : 'application_credential'],
    ...(token.by && {
      application_credential: { id: token.by.id, name: 'x', restricted: !token.by.unrestricted },
    }),
    user: {
      id: token.userId ?? 'ana',
      name: 'Ana',
      domain: { id: 'default', name: 'Default' },
      ...(token.federated && { 'OS-FEDERATION': { groups: [], identity_provider: { id: 'idp' } } }),
    },
    audit_ids: ['3T2dc1CGQxyJsHdDu1xkcw'],
    // Keystone writes microseconds.
    expires_at: token.expiresAt.toISOString().replace('Z', '000Z'),
    issued_at: '2026-01-01T00:00:00.000000Z',
    roles: (token.roles ?? ['member', 'reader']).map((name) => ({ id: `id-${name}`, name })),
    ...scopeOf(token),
  },
})

const NOT_FOUND = { error: { code: 404, message: 'Could not find token.', title: 'Not Found' } }
const UNAUTHORIZED = { error: { code: 401, message: 'The request you have made requires authentication.' } }

/** Who may log in with a password, and what their tokens say. */
export type StandInUser = { password: string } & Pick<StandInToken, 'userId' | 'projectId' | 'roles'>

/** What a client sends to log in with a password. */
type PasswordAuth = { identity: { password?: { user: { name?: string; password?: string } } } }

/** One call of the application credentials' API: `LOGIN` is the one with such a credential. */
export type CredentialCall = 'POST' | 'GET' | 'DELETE' | 'LOGIN'

/**
 * Stands in for Keystone's APIs of tokens and application credentials (Identity v3): simulated, made for tests; it knows a list of tokens, and
 * users who log in with a password. Counts what it is asked.
 */
export class KeystoneStandIn {
  readonly tokens = new Map<string, StandInToken>()
  /** By name. Their logins are answered with a catalog. */
  readonly users = new Map<string, StandInUser>()
  /** URL of the service `container-infra` in the catalog. */
  magnumUrl = ''
  readonly credentials = new CredentialsStandIn()
  /** Calls about application credentials so far, logins with them included. */
  readonly credentialCalls: CredentialCall[] = []
  /** Tells the trouble that a call about application credentials meets; it is done all the same when `done` says so. */
  credentialTrouble:
    | ((call: CredentialCall, count: number) => { trouble: Trouble; done: boolean } | undefined)
    | undefined
  /** Answers to validations; undefined answers as Keystone does. */
  trouble: Trouble | undefined
  /** Status of each validation in place of the right one. */
  validationStatus: number | undefined
  /** The same for the service's own login. */
  loginTrouble: Trouble | undefined
  serviceSecret = SERVICE_SECRET
  /** When service tokens that are issued from now on expire. */
  serviceExpiresAt = new Date('2027-01-01T00:00:00Z')
  logins = 0
  validations = 0
  /** Requests for anything else, a redirect's target for example. */
  strays = 0
  /** Set it to hold validations back until it settles. */
  gate: Promise<void> | undefined
  readonly #serviceTokens = new Set<string>()
  #server: Loopback | undefined

  async start(): Promise<void> {
    this.#server = await startLoopback(async (message, response) => {
      const routes: Record<string, () => Promise<void> | void> = {
        'GET /v3': () => sendJson(response, 200, { version: this.#version }),
        'POST /v3/auth/tokens': async () => sendAnswer(response, this.#userLogin(JSON.parse(await bodyOf(message)))),
        'POST /v3/auth/tokens?nocatalog': async () => this.#login(JSON.parse(await bodyOf(message)), response),
        'GET /v3/auth/tokens?nocatalog': () => this.#validate(message.headers, response),
      }
      const route = routes[`${message.method} ${message.url}`]
      if (route !== undefined) return route()
      if (/^\/v3\/users\/[^/]+\/application_credentials/.test(message.url ?? '')) {
        return this.#credentialCall(message, await bodyOf(message), response)
      }
      this.strays += 1
      sendJson(response, 404, NOT_FOUND)
    })
  }

  /** As when a user is taken out of a project: his tokens for it and his application credentials in it are gone. */
  removeRole(userId: string, projectId: string): void {
    this.credentials.removeRole(userId, projectId)
    for (const [text, token] of this.tokens) {
      const facts = factsOf(token)
      if (facts.userId === userId && facts.projectId === projectId) this.tokens.delete(text)
    }
  }

  get url(): string {
    return this.#server?.url ?? ''
  }

  async close(): Promise<void> {
    await this.#server?.close()
  }

  /** As after a restart with new keys: the service must log in again. */
  revokeServiceTokens(): void {
    this.#serviceTokens.clear()
  }

  #send(response: ServerResponse, right: Answer, trouble: Trouble | undefined): void {
    if (trouble) makeTrouble(trouble, response, right, `${this.url}/elsewhere`)
    else sendAnswer(response, right)
  }

  #troubled(call: CredentialCall, answer: () => Answer, response: ServerResponse): void {
    this.credentialCalls.push(call)
    const count = this.credentialCalls.filter((one) => one === call).length
    const trouble = this.credentialTrouble?.(call, count)
    if (trouble === undefined || trouble.done) {
      const right = answer()
      this.#send(response, right, trouble?.trouble)
    } else this.#send(response, { status: 200, body: {} }, trouble.trouble)
  }

  #credentialCall(message: IncomingMessage, body: string, response: ServerResponse): void {
    const { method = '', url = '', headers } = message
    const token = this.tokens.get(String(headers['x-auth-token']))
    const answer = () => this.credentials.answer(method, url, token && factsOf(token), body)
    this.#troubled(method as CredentialCall, answer, response)
  }

  /** A login with one of the application credentials; undefined: it is none of these. */
  #credentialLogin(auth: unknown): (() => Answer) | undefined {
    const { identity } = auth as { identity: { application_credential?: { id: string; secret: string } } }
    const given = identity.application_credential
    if (given === undefined || given.id === 'fedplane') return undefined
    return () => {
      const facts = this.credentials.login(given.id, given.secret)
      if (facts === undefined) return { status: 401, body: UNAUTHORIZED }
      const text = `session-token-${this.tokens.size + 1}`
      const { userId, projectId, roles, by } = facts
      const token = { expiresAt: this.serviceExpiresAt, userId, projectId, roles, ...(by && { by }) }
      this.tokens.set(text, token)
      return { status: 201, body: described(token), headers: { 'x-subject-token': text } }
    }
  }

  /** What discovery reads. */
  get #version(): object {
    return { id: 'v3.14', status: 'stable', links: [{ rel: 'self', href: `${this.url}/v3/` }] }
  }

  /** A user's login, with the catalog of what there is. */
  #userLogin({ auth }: { auth: PasswordAuth }): Answer {
    const given = auth.identity.password?.user
    const user = this.users.get(given?.name ?? '')
    if (user === undefined || user.password !== given?.password) return { status: 401, body: UNAUTHORIZED }
    const text = `user-token-${this.tokens.size + 1}`
    const token = { ...user, expiresAt: this.serviceExpiresAt }
    this.tokens.set(text, token)
    const endpoint = { id: 'endpoint', interface: 'public', region: 'one', region_id: 'one', url: this.magnumUrl }
    const catalog = [{ id: 'magnum', type: 'container-infra', name: 'magnum', endpoints: [endpoint] }]
    const body = { token: { ...described(token).token, catalog } }
    return { status: 201, body, headers: { 'x-subject-token': text } }
  }

  async #login({ auth }: { auth: unknown }, response: ServerResponse): Promise<void> {
    const answer = this.#credentialLogin(auth)
    if (answer !== undefined) return this.#troubled('LOGIN', answer, response)
    this.logins += 1
    const isGood = GOOD_AUTH(this.serviceSecret).some((good) => isDeepStrictEqual(good, auth))
    if (!isGood) return sendJson(response, 401, UNAUTHORIZED)
    const token = `service-token-${this.logins}`
    this.#serviceTokens.add(token)
    const headers = { 'x-subject-token': token }
    this.#send(
      response,
      { status: 201, body: described({ expiresAt: this.serviceExpiresAt }), headers },
      this.loginTrouble,
    )
  }

  async #validate(headers: NodeJS.Dict<string | string[]>, response: ServerResponse): Promise<void> {
    this.validations += 1
    await this.gate
    const token = this.tokens.get(String(headers['x-subject-token']))
    // Whoever has a token may ask about it.
    const asksItself = headers['x-auth-token'] === headers['x-subject-token']
    if (asksItself ? token === undefined : !this.#serviceTokens.has(String(headers['x-auth-token']))) {
      return sendJson(response, 401, UNAUTHORIZED)
    }
    const status = this.validationStatus
    if (status !== undefined) return sendJson(response, status, { error: { code: status } })
    if (!token) return sendJson(response, 404, NOT_FOUND)
    this.#send(response, { status: 200, body: described(token) }, this.trouble)
  }
}
