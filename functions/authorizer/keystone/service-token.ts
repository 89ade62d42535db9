import * as z from 'zod'
import type { Clock } from '../../core/ports.ts'
import { Secret } from '../../core/values/secret.ts'
import { IdentityProviderUnavailable } from '../../identity/errors.ts'
import { identityCall, jsonOf } from '../../identity/identity-call.ts'
import { PrincipalId } from '../roles.ts'
import type { KeystoneCredential } from '../settings.schema.ts'
import type { KeystoneSettings } from '../settings.ts'

/** `2026-11-25T10:00:00.000000Z` as milliseconds since the epoch. */
const Instant = z
  .string()
  .transform((text) => Date.parse(text))
  .refine((milliseconds) => Number.isFinite(milliseconds))

/** Answer to POST /v3/auth/tokens, as far as it is used. The token itself is in a header. */
const IssuedToken = z.object({ token: z.object({ expires_at: Instant }) })

/** Answer to GET /v3/auth/tokens, as far as it is used. Scope: `project`, `domain`, `system`, or none of them. */
export const ValidatedToken = z.object({
  token: z.object({
    expires_at: Instant,
    user: z.object({ id: PrincipalId }),
    project: z.object({ id: PrincipalId }).optional(),
    domain: z.looseObject({}).optional(),
    system: z.looseObject({}).optional(),
    roles: z.array(z.object({ name: z.string() })).default([]),
  }),
})
export type ValidatedToken = z.infer<typeof ValidatedToken>

/** A token is renewed this long before it expires, so that it does not expire on its way. */
const RENEW_BEFORE_MS = 60_000

/** Kept for so long in any case: with clocks that differ each request would log us in, and Keystone locks out who does that too often. */
const KEPT_MS_MIN = 30_000

/** Between tries with a refused credential: Keystone locks users out that fail too often. */
const REFUSED_MS = 30_000

/** Body of POST /v3/auth/tokens. */
const authRequest = (credential: KeystoneCredential): unknown => {
  if ('application_credential_id' in credential) {
    const { application_credential_id: id, application_credential_secret: secret } = credential
    const application_credential = { id, secret: secret.reveal() }
    return { auth: { identity: { methods: ['application_credential'], application_credential } } }
  }
  const { username: name, password, user_domain_name, project_name, project_domain_name } = credential
  const user = { name, password: password.reveal(), domain: { name: user_domain_name } }
  const project = { name: project_name, domain: { name: project_domain_name } }
  return { auth: { identity: { methods: ['password'], password: { user } }, scope: { project } } }
}

type Issued = { token: Secret; expiresAt: number }

/** Our own token at Keystone: shared by all questions, renewed before it expires. */
export class ServiceToken {
  readonly #settings: KeystoneSettings
  readonly #url: URL
  readonly #clock: Clock
  #credential: KeystoneCredential | undefined
  #issued: Issued | undefined
  #issuing: Promise<Issued> | undefined
  #refusedUntil = 0

  /** @param url of /v3/auth/tokens */
  constructor(settings: KeystoneSettings, url: URL, clock: Clock) {
    this.#settings = settings
    this.#url = url
    this.#clock = clock
  }

  /** @throws IdentityProviderUnavailable */
  async get(signal: AbortSignal): Promise<Secret> {
    if (this.#issued && this.#issued.expiresAt - RENEW_BEFORE_MS > this.#clock.now().getTime()) {
      return this.#issued.token
    }
    this.#issuing ??= this.#renew(signal).finally(() => {
      this.#issuing = undefined
    })
    return (await this.#issuing).token
  }

  /** Keystone did not accept it: the next `get` asks for another one. */
  forget(refused: Secret): void {
    if (this.#issued?.token === refused) this.#issued = undefined
  }

  async #renew(signal: AbortSignal): Promise<Issued> {
    if (this.#clock.now().getTime() < this.#refusedUntil) throw this.#refused()
    this.#issued = await this.#issue(signal)
    return this.#issued
  }

  async #issue(signal: AbortSignal): Promise<Issued> {
    const kept = this.#credential
    const first = await this.#post(kept ?? (await this.#readCredential(signal)), signal)
    if (first) return first
    // Rotated since it was read?
    const second = kept && (await this.#post(await this.#readCredential(signal), signal))
    if (second) return second
    this.#refusedUntil = this.#clock.now().getTime() + REFUSED_MS
    throw this.#refused()
  }

  #refused(): IdentityProviderUnavailable {
    return new IdentityProviderUnavailable(
      `Keystone at ${this.#url.origin} refuses the service credential (401): correct it; it is tried again after ${REFUSED_MS / 1000} s.`,
    )
  }

  async #readCredential(signal: AbortSignal): Promise<KeystoneCredential> {
    this.#credential = undefined
    const credential = await this.#settings.readCredential(signal)
    this.#credential = credential
    return credential
  }

  /** Undefined when Keystone refuses the credential. */
  async #post(credential: KeystoneCredential, signal: AbortSignal): Promise<Issued | undefined> {
    const body = JSON.stringify(authRequest(credential))
    const answer = await identityCall({ method: 'POST', url: this.#url, body, signal, caPem: this.#settings.caPem })
    if (answer.status === 401) {
      this.#credential = undefined
      return
    }
    const issued = IssuedToken.safeParse(jsonOf(answer))
    const token = answer.headers['x-subject-token']
    if (answer.status === 201 && issued.success && typeof token === 'string') {
      const soonest = this.#clock.now().getTime() + RENEW_BEFORE_MS + KEPT_MS_MIN
      return { token: new Secret(token), expiresAt: Math.max(issued.data.token.expires_at, soonest) }
    }
    throw new IdentityProviderUnavailable(
      `Keystone at ${this.#url.origin} gave the service no token: the answer was ${answer.status}, and not what Keystone answers.`,
      { details: { status: answer.status } },
    )
  }
}
