import { Secret } from '../../core/values/secret.ts'
import { quoteUpTo } from '../../core/values/wording.ts'
import { IdentityProviderUnavailable } from '../../identity/errors.ts'
import { type HttpAnswer, type IdentityCall, identityCall, jsonOf } from '../../identity/identity-call.ts'
import type { ApplicationCredential } from '../cloud.ts'
import { DescribedToken, KeystoneError, ListedCredentials, MadeCredential } from './answers.schema.ts'

/** Characters of Keystone's own words in a message of ours. */
const WORDS_MAX = 200

const TOKENS = '/v3/auth/tokens?nocatalog'

/** A new application credential, by Keystone's names. */
export type NewCredential = {
  name: string
  description: string
  unrestricted: boolean
  roles: readonly { id: string }[]
}

/** What Keystone said instead of doing what was asked: a status from 400 to 499, and its words. */
export type Refusal = { status: number; words: string }

/** Who asks for a user's application credentials. */
export type Caller = { token: Secret; userId: string }

type Call = Pick<IdentityCall, 'method' | 'body' | 'headers'> & { path: string }

const wordsOf = (answer: HttpAnswer): string => {
  const error = KeystoneError.safeParse(jsonOf(answer))
  return error.success ? quoteUpTo(WORDS_MAX, error.data.error.message) : 'nothing'
}

/** 429: it may do so later. */
const isRefusal = ({ status }: HttpAnswer): boolean => status >= 400 && status < 500 && status !== 429

/** True for what Keystone said instead. */
export const isRefused = <T extends object>(answered: T | Refusal): answered is Refusal => 'words' in answered

const credentialsOf = (userId: string): string => `/v3/users/${encodeURIComponent(userId)}/application_credentials`

const as = (token: Secret): Record<string, string> => ({ 'x-auth-token': token.reveal() })

/**
 * The calls of Keystone's Identity API v3 that make and revoke application credentials. What a refusal means is for the caller to say;
 * every other answer than the one expected is IdentityProviderUnavailable.
 */
export class KeystoneApi {
  readonly #base: string
  readonly #caPem: string | null
  readonly #signal: AbortSignal

  /**
   * @param base URL of Keystone without `/v3`
   * @param signal ends all calls
   */
  constructor({ base, caPem }: { base: string; caPem: string | null }, signal: AbortSignal) {
    this.#base = base
    this.#caPem = caPem
    this.#signal = signal
  }

  /** What a token says of itself, which every token may ask. */
  describe(token: Secret): Promise<DescribedToken | Refusal> {
    const headers = { ...as(token), 'x-subject-token': token.reveal() }
    return this.#ask({ method: 'GET', path: TOKENS, headers }, 200, (answer) => {
      const described = DescribedToken.safeParse(jsonOf(answer))
      return described.data?.token
    })
  }

  /** A token for an application credential. */
  login({ id, secret }: ApplicationCredential): Promise<{ token: Secret } | Refusal> {
    const application_credential = { id, secret: secret.reveal() }
    const identity = { methods: ['application_credential'], application_credential }
    const body = JSON.stringify({ auth: { identity } })
    return this.#ask({ method: 'POST', path: TOKENS, body }, 201, ({ headers }) => {
      const token = headers['x-subject-token']
      return typeof token === 'string' ? { token: new Secret(token) } : undefined
    })
  }

  create({ token, userId }: Caller, credential: NewCredential): Promise<ApplicationCredential | Refusal> {
    const body = JSON.stringify({ application_credential: credential })
    return this.#ask({ method: 'POST', path: credentialsOf(userId), headers: as(token), body }, 201, (answer) => {
      const made = MadeCredential.safeParse(jsonOf(answer)).data?.application_credential
      return made && { id: made.id, secret: new Secret(made.secret) }
    })
  }

  /** Ids of the user's credentials of this name: there is one at most. */
  find({ token, userId }: Caller, name: string): Promise<string[] | Refusal> {
    const path = `${credentialsOf(userId)}?name=${encodeURIComponent(name)}`
    return this.#ask({ method: 'GET', path, headers: as(token) }, 200, (answer) => {
      const listed = ListedCredentials.safeParse(jsonOf(answer)).data?.application_credentials
      return listed?.filter((one) => one.name === name).map(({ id }) => id)
    })
  }

  /** Null: it is gone, by this call or before. */
  async remove({ token, userId }: Caller, id: string): Promise<Refusal | null> {
    const path = `${credentialsOf(userId)}/${encodeURIComponent(id)}`
    const answered = await this.#ask({ method: 'DELETE', path, headers: as(token) }, 204, () => ({}))
    return isRefused(answered) && answered.status !== 404 ? answered : null
  }

  async #ask<T extends object>(
    { path, ...call }: Call,
    expected: number,
    read: (answer: HttpAnswer) => T | undefined,
  ): Promise<T | Refusal> {
    const url = new URL(`${this.#base}${path}`)
    const answer = await identityCall({ ...call, url, signal: this.#signal, caPem: this.#caPem ?? undefined })
    if (isRefusal(answer)) return { status: answer.status, words: wordsOf(answer) }
    const value = answer.status === expected ? read(answer) : undefined
    if (value !== undefined) return value
    throw new IdentityProviderUnavailable(
      `${call.method} ${url.origin}${url.pathname} was answered ${answer.status} in a form that is not Keystone's: ${expected} was expected. Try again later.`,
      { details: { status: answer.status } },
    )
  }
}
