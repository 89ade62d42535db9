import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import type { ObjectStore } from './store.ts'
import type { ApiObject, User } from './types.ts'

export const ISSUER = 'https://kubernetes.default.svc.cluster.local'

const SERVICE_ACCOUNTS = { group: '', plural: 'serviceaccounts' }
const SECRETS = { group: '', plural: 'secrets' }

type Claims = {
  iss: string
  aud?: string[]
  /** Epoch seconds; absent in tokens of token Secrets. */
  exp?: number
  jti: string
  namespace: string
  account: { name: string; uid: string }
  secret?: { name: string; uid: string }
}

export type TokenRequest = { audiences: string[]; expirationSeconds: number }

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

const userOf = ({ namespace, account, jti, exp }: Claims): User => ({
  username: `system:serviceaccount:${namespace}:${account.name}`,
  uid: account.uid,
  groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
  extra: exp === undefined ? {} : { 'authentication.kubernetes.io/credential-id': [`JTI=${jti}`] },
})

/** Everybody of group `system:masters`: the admin of a simulated cluster. */
const ADMIN: User = {
  username: 'simulated-admin',
  uid: 'simulated-admin',
  groups: ['system:masters', 'system:authenticated'],
  extra: {},
}

/** No Authorization header. */
export const ANONYMOUS: User = { username: 'system:anonymous', uid: '', groups: ['system:unauthenticated'], extra: {} }

/** Signs and checks service-account tokens. One is good while its account, and its Secret if it has one, are there with the same uid. */
export class Tokens {
  readonly adminToken = randomBytes(24).toString('hex')
  readonly #key = randomBytes(32)
  readonly #store: ObjectStore
  readonly #now: () => Date

  constructor(store: ObjectStore, now: () => Date) {
    this.#store = store
    this.#now = now
  }

  /** For a Secret of type `kubernetes.io/service-account-token`: never expires. */
  forSecret(account: ApiObject, secret: ApiObject): string {
    return this.#sign({
      ...this.#claims(account),
      secret: { name: secret.metadata.name, uid: secret.metadata.uid ?? '' },
    })
  }

  /** For a TokenRequest. */
  forRequest(account: ApiObject, { audiences, expirationSeconds }: TokenRequest): { token: string; expires: Date } {
    const exp = Math.floor(this.#now().getTime() / 1000) + expirationSeconds
    const token = this.#sign({ ...this.#claims(account), aud: audiences, exp })
    return { token, expires: new Date(exp * 1000) }
  }

  /** Undefined for a token that is unknown, forged, expired, for another audience or of something deleted. */
  authenticate(token: string): User | undefined {
    if (token === this.adminToken) return ADMIN
    const claims = this.#read(token)
    return claims !== undefined && this.#isValid(claims) ? userOf(claims) : undefined
  }

  #claims(account: ApiObject): Claims {
    const { name, namespace = '', uid = '' } = account.metadata
    return { iss: ISSUER, jti: randomUUID(), namespace, account: { name, uid } }
  }

  #sign(claims: Claims): string {
    const content = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
    return `${content}.${this.#signature(content)}`
  }

  #signature(content: string): string {
    return createHmac('sha256', this.#key).update(content).digest('base64url')
  }

  #read(token: string): Claims | undefined {
    const [header = '', body = '', signature = ''] = token.split('.')
    const given = Buffer.from(signature)
    const expected = Buffer.from(this.#signature(`${header}.${body}`))
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
    return JSON.parse(Buffer.from(body, 'base64url').toString()) as Claims
  }

  #isValid({ exp, aud, account, namespace, secret }: Claims): boolean {
    if (exp !== undefined && exp * 1000 <= this.#now().getTime()) return false
    if (aud !== undefined && !aud.includes(ISSUER)) return false
    const isThere = (collection: typeof SECRETS, { name, uid }: { name: string; uid: string }): boolean =>
      this.#store.get(collection, name, namespace)?.object.metadata.uid === uid
    return isThere(SERVICE_ACCOUNTS, account) && (secret === undefined || isThere(SECRETS, secret))
  }
}
