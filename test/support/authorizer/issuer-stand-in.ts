import type { ServerResponse } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'
import { type Loopback, makeTrouble, sendJson, startLoopback, type Trouble } from './loopback.ts'

export const AUDIENCE = 'fedplane'

type Key = { alg: string; privateKey: CryptoKey; jwk: JWK }

const generate = async (alg: string, kid: string): Promise<Key> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true })
  return { alg, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } }
}

const headerOf = ({ alg, jwk }: Key, kid: string | null = jwk.kid ?? null): { alg: string; kid?: string } =>
  kid === null ? { alg } : { alg, kid }

/**
 * Stands in for an OpenID Connect issuer: discovery and key set, with keys that it makes itself. Made for tests, it has no users and no login:
 * `sign` makes whatever token a test wants.
 */
export class IssuerStandIn {
  /** Published keys by id. */
  readonly keys: Map<string, Key>
  discoveryTrouble: Trouble | undefined
  keysTrouble: Trouble | undefined
  /** In place of the right metadata. */
  metadata: Record<string, unknown> | undefined
  discoveries = 0
  keyFetches = 0
  strays = 0
  #server: Loopback | undefined

  /** @param keys of another one. Default: a key `rsa` and a key `ec`, made at the start */
  constructor(keys: ReadonlyMap<string, Key> = new Map()) {
    this.keys = new Map(keys)
  }

  async start(): Promise<void> {
    if (this.keys.size === 0) {
      this.keys.set('rsa', await generate('RS256', 'rsa'))
      this.keys.set('ec', await generate('ES256', 'ec'))
    }
    this.#server = await startLoopback(async ({ url }, response) => {
      if (url === '/.well-known/openid-configuration') return this.#describe(response)
      if (url === '/keys') return this.#listKeys(response)
      this.strays += 1
      sendJson(response, 404, {})
    })
  }

  async #describe(response: ServerResponse): Promise<void> {
    this.discoveries += 1
    this.#send(response, this.metadata ?? { issuer: this.url, jwks_uri: `${this.url}/keys` }, this.discoveryTrouble)
  }

  async #listKeys(response: ServerResponse): Promise<void> {
    this.keyFetches += 1
    this.#send(response, { keys: [...this.keys.values()].map(({ jwk }) => jwk) }, this.keysTrouble)
  }

  #send(response: ServerResponse, body: object, trouble: Trouble | undefined): void {
    if (trouble) makeTrouble(trouble, response, { status: 200, body }, `${this.url}/elsewhere`)
    else sendJson(response, 200, body)
  }

  get url(): string {
    return this.#server?.url ?? ''
  }

  async close(): Promise<void> {
    await this.#server?.close()
  }

  /** A new key that is not published yet, and how to publish it. */
  async newKey(kid: string, alg = 'EdDSA'): Promise<{ key: Key; publish(): void }> {
    const key = await generate(alg, kid)
    return { key, publish: () => void this.keys.set(kid, key) }
  }

  /** A good token's claims. */
  claims(now: Date): JWTPayload {
    const seconds = Math.floor(now.getTime() / 1000)
    return {
      iss: this.url,
      aud: AUDIENCE,
      sub: 'ana',
      iat: seconds,
      exp: seconds + 300,
      project_id: 'shop',
      roles: ['member', 'reader'],
    }
  }

  /**
   * @param by id of a published key, or a key
   * @param kid in the header; null: none. Default: that of the key
   */
  async sign(claims: JWTPayload, by: string | Key = 'rsa', kid?: string | null): Promise<string> {
    const key = typeof by === 'string' ? this.keys.get(by) : by
    if (!key) throw new Error(`no key ${String(by)}`)
    return new SignJWT(claims).setProtectedHeader(headerOf(key, kid)).sign(key.privateKey)
  }
}
