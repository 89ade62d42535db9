import { createHash } from 'node:crypto'
import type { Clock } from '../../core/ports.ts'
import type { Identity } from '../../core/values/identity.ts'
import { IdentityProviderUnavailable } from '../../identity/errors.ts'
import { type HttpAnswer, identityCall, jsonOf } from '../../identity/identity-call.ts'
import { rolesFrom } from '../roles.ts'
import { type KeystoneSettings, keystoneBase } from '../settings.ts'
import { ServiceToken, ValidatedToken } from './service-token.ts'

/** An answer, and until when it may be given again, milliseconds since the epoch. */
type CachedIdentity = { identity: Identity; until: number }

type Entry = { answer: Promise<CachedIdentity>; until: number }

/** Enough for the tokens in use within five minutes; about 1 KiB each. */
const ENTRIES_MAX = 1_000

/** Digests instead of tokens: a memory dump shows none, and a lookup's time tells nothing about them. */
const digest = (token: string): string => createHash('sha256').update(token).digest('base64')

/** Answers by token, the least recently used one dropped first. Those who ask at the same time share one answer; failures are not kept. */
export class IdentityCache {
  readonly #entries = new Map<string, Entry>()
  readonly #clock: Clock
  readonly #max: number

  constructor(clock: Clock, max = ENTRIES_MAX) {
    this.#clock = clock
    this.#max = max
  }

  /** @throws what `ask` throws */
  async get(token: string, ask: () => Promise<CachedIdentity>): Promise<Identity> {
    const key = digest(token)
    const known = this.#entries.get(key)
    if (known) this.#entries.delete(key)
    const entry = known && known.until > this.#clock.now().getTime() ? known : this.#ask(key, ask)
    this.#entries.set(key, entry)
    for (const [oldest] of this.#entries) {
      if (this.#entries.size <= this.#max) break
      this.#entries.delete(oldest)
    }
    return (await entry.answer).identity
  }

  #ask(key: string, ask: () => Promise<CachedIdentity>): Entry {
    const entry: Entry = { answer: ask(), until: Number.POSITIVE_INFINITY }
    entry.answer.then(
      ({ until }) => {
        entry.until = until
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key)
      },
    )
    return entry
  }
}

/**
 * All calls for one question, our own token included, milliseconds. API Gateway gives the authorizer 10 s, and answers 500 after that.
 */
const QUESTION_MS = 5_000
/** How long a token is taken for valid without asking again: so long does a revoked one still work. */
const VALID_MS = 5 * 60_000
/** How long a token is refused without asking again: it may be one that has just been issued. */
const INVALID_MS = 10_000
/** What a header can carry; Fernet and JWS tokens are far shorter. */
const TOKEN = /^[\x21-\x7e]{1,8192}$/

type KeystoneOptions = {
  clock: Clock
  /** Milliseconds for all calls of one question. Default 5,000. */
  questionMs?: number
}

/** Finds out who holds a Keystone token. */
type TokenIdentity = (token: string) => Promise<Identity>

const unscoped = ({ token }: ValidatedToken): Identity => {
  const scope = token.system ? 'system-scoped' : token.domain ? 'domain-scoped' : 'unscoped'
  return { reason: `The token is ${scope}, but one for a project is needed: log in with a project.` }
}

const identityOf = (validated: ValidatedToken): Identity => {
  const { user, project, roles } = validated.token
  if (!project) return unscoped(validated)
  const names = roles.map(({ name }) => name)
  return { principal: { userId: user.id, projectId: project.id, roles: rolesFrom(names), source: 'keystone' } }
}

const INVALID: Identity = {
  reason: 'Keystone does not know the token, or it has expired or was revoked: get a new one.',
}

/** @throws IdentityProviderUnavailable for all that does not tell whether the token is valid */
const readAnswer = (answer: HttpAnswer, now: number, origin: string): CachedIdentity => {
  // 400: no token of a form that Keystone knows.
  if (answer.status === 404 || answer.status === 400) return { identity: INVALID, until: now + INVALID_MS }
  const validated = ValidatedToken.safeParse(jsonOf(answer))
  if (answer.status !== 200 || !validated.success) {
    throw new IdentityProviderUnavailable(
      `Keystone at ${origin} did not validate a token: the answer was ${answer.status}, and 200, 400 or 404 as Keystone gives them were expected. After 403 give the service credential a role that may validate tokens.`,
      { details: { status: answer.status } },
    )
  }
  const { expires_at } = validated.data.token
  if (expires_at <= now) return { identity: INVALID, until: now + INVALID_MS }
  return { identity: identityOf(validated.data), until: Math.min(now + VALID_MS, expires_at) }
}

/**
 * Asks Keystone about tokens (Identity API v3: GET /v3/auth/tokens) and remembers the answers: as valid for five minutes and never beyond
 * the token's expiry, as invalid for ten seconds. Without an answer nobody is let in.
 *
 * Tokens of application credentials with access rules are invalid here, since we do not announce that we enforce the rules
 * (`OpenStack-Identity-Access-Rules`).
 *
 * @returns throws IdentityProviderUnavailable
 */
export const keystone = (settings: KeystoneSettings, options: KeystoneOptions): TokenIdentity => {
  const { clock, questionMs = QUESTION_MS } = options
  const url = new URL(`${keystoneBase(settings.url)}/v3/auth/tokens?nocatalog`)
  const service = new ServiceToken(settings, url, clock)
  const cache = new IdentityCache(clock)

  const validate = async (token: string, signal: AbortSignal): Promise<HttpAnswer | 'refused'> => {
    const own = await service.get(signal)
    const headers = { 'x-auth-token': own.reveal(), 'x-subject-token': token }
    const answer = await identityCall({ method: 'GET', url, headers, signal, caPem: settings.caPem })
    if (answer.status !== 401) return answer
    service.forget(own)
    return 'refused'
  }

  const ask = async (token: string): Promise<CachedIdentity> => {
    const signal = AbortSignal.timeout(questionMs)
    let answer = await validate(token, signal)
    if (answer === 'refused') answer = await validate(token, signal)
    if (answer === 'refused') {
      throw new IdentityProviderUnavailable(
        `Keystone at ${url.origin} refuses the token that it has just issued to the service.`,
      )
    }
    return readAnswer(answer, clock.now().getTime(), url.origin)
  }

  return async (token) => (TOKEN.test(token) ? cache.get(token, () => ask(token)) : INVALID)
}
