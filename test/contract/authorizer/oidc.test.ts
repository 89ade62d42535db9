import { createHmac } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { oidc } from '../../../functions/authorizer/oidc/oidc.ts'
import { DEFAULT_CLAIMS } from '../../../functions/authorizer/settings.ts'
import { AUDIENCE, IssuerStandIn } from '../../support/authorizer/issuer-stand-in.ts'
import { TROUBLES } from '../../support/authorizer/loopback.ts'
import { everythingOf, rejectionOf } from '../../support/kubernetes/leaks.ts'
import { manualClock } from '../../support/store/contract-subject.ts'

const ANA = { userId: 'ana', projectId: 'shop', roles: ['member', 'reader'], source: 'oidc' }
const unavailable = expect.objectContaining({ name: 'IdentityProviderUnavailable', kind: 'unavailable' })

const clock = manualClock()
const seconds = Math.floor(clock.now().getTime() / 1000)

let issuer: IssuerStandIn
let keyPairs: IssuerStandIn['keys']

/** Keys are made once: RSA takes a while. */
beforeAll(async () => {
  const first = new IssuerStandIn()
  await first.start()
  await first.close()
  keyPairs = first.keys
})
beforeEach(async () => {
  issuer = new IssuerStandIn(keyPairs)
  await issuer.start()
})
afterEach(() => issuer.close())

const open = (options: { callMs?: number; cooldownMs?: number } = {}, claims = DEFAULT_CLAIMS) =>
  oidc({ issuer: issuer.url, audience: AUDIENCE, claims }, { clock, ...options })

/** Claims; undefined takes one away. */
type Changes = Record<string, unknown>

/** A good token, but for the changes. */
const sign = (changes: Changes = {}, by?: Parameters<IssuerStandIn['sign']>[1], kid?: string | null) =>
  issuer.sign({ ...issuer.claims(clock.now()), ...changes }, by, kid)

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

describe('a JWT of the issuer', () => {
  it.each(['rsa', 'ec'])('becomes a principal (%s key)', async (key) => {
    expect(await open()(await sign({}, key))).toEqual({ principal: ANA })
  })

  it.each(['EdDSA', 'PS256', 'ES384'])('may be signed with %s', async (alg) => {
    const { key, publish } = await issuer.newKey('more', alg)
    publish()
    expect(await open()(await sign({}, key))).toEqual({ principal: ANA })
  })

  it('may be for several audiences', async () => {
    expect(await open()(await sign({ aud: ['other', AUDIENCE] }))).toEqual({ principal: ANA })
  })

  it('may be off by a minute', async () => {
    expect(await open()(await sign({ exp: seconds - 59 }))).toEqual({ principal: ANA })
    expect(await open()(await sign({ nbf: seconds + 60 }))).toEqual({ principal: ANA })
  })

  it.each<[string, Changes, RegExp]>([
    ['expired', { exp: seconds - 60 }, /expired/],
    ['not valid yet', { nbf: seconds + 61 }, /not valid yet/],
    ['without exp', { exp: undefined }, /"exp"/],
    ['of another issuer', { iss: 'http://127.0.0.1:1' }, /another issuer/],
    ['of no issuer', { iss: undefined }, /another issuer/],
    ['for another audience', { aud: 'other' }, /another audience/],
    ['for no audience', { aud: undefined }, /another audience/],
    ['without a user', { sub: undefined }, /"sub"/],
    ['without a project', { project_id: undefined }, /"project_id"/],
    ['with an empty project', { project_id: '' }, /"project_id"/],
    ['with a project that is no text', { project_id: 7 }, /"project_id"/],
    ['with a line break in the project', { project_id: 'a\nb' }, /"project_id"/],
    ['with a project that is too long', { project_id: 'x'.repeat(256) }, /"project_id"/],
    ['without roles', { roles: undefined }, /"roles"/],
    ['with roles that are no names', { roles: [1] }, /"roles"/],
  ])('is refused when it is %s', async (_, changes, reason) => {
    expect(await open()(await sign(changes))).toEqual({ reason: expect.stringMatching(reason) })
  })

  it('is refused when it is signed with a key of the issuer under the name of another', async () => {
    const token = await sign({}, 'rsa', 'ec')
    expect(await open()(token)).toEqual({ reason: expect.stringMatching(/key that its issuer does not have/) })
  })

  it('is refused when its claims were changed', async () => {
    const [header, , signature] = (await sign()).split('.')
    const forged = encode({ ...issuer.claims(clock.now()), roles: ['admin'] })
    expect(await open()(`${header}.${forged}.${signature}`)).toEqual({ reason: expect.stringMatching(/signature/) })
  })

  it('is refused without a key id when several keys would do', async () => {
    const { publish, key } = await issuer.newKey('rsa-2', 'RS256')
    publish()
    expect(await open()(await sign({}, key))).toEqual({ principal: ANA })
    expect(await open()(await sign({}, key, null))).toEqual({ reason: expect.stringMatching(/kid/) })
    expect(await open()(await sign({}, 'ec', null))).toEqual({ principal: ANA })
  })

  it.each(['none', 'None', 'NONE', ''])('is refused with alg "%s"', async (alg) => {
    const token = `${encode({ alg, kid: 'rsa' })}.${encode(issuer.claims(clock.now()))}.`
    expect(await open()(token)).toEqual({ reason: expect.any(String) })
    expect(issuer.keyFetches).toBe(0)
  })

  it('is refused when it is signed by HMAC with the public key', async () => {
    const content = `${encode({ alg: 'HS256', kid: 'rsa' })}.${encode(issuer.claims(clock.now()))}`
    const secret = JSON.stringify(issuer.keys.get('rsa')?.jwk)
    const signature = createHmac('sha256', secret).update(content).digest('base64url')
    expect(await open()(`${content}.${signature}`)).toEqual({ reason: expect.stringMatching(/RS256/) })
  })

  it.each(['x', 'a.b', 'a.b.c', '..', 'a.b.c.d.e', `${encode({ alg: 'RS256' })}.${encode([])}.`, encode({})])(
    'is refused when it is malformed (%s)',
    async (token) => {
      expect(await open()(token)).toEqual({ reason: expect.any(String) })
    },
  )
})

describe('claims', () => {
  it.each<[unknown, string[]]>([
    [['Member', 'offline_access'], ['member']],
    ['reader ADMIN other', ['admin', 'reader']],
    [[], []],
    ['', []],
  ])('of roles %j give %j', async (roles, known) => {
    expect(await open()(await sign({ roles }))).toEqual({ principal: { ...ANA, roles: known } })
  })

  it('have the names of the settings, as they are or as paths', async () => {
    const names = { user: 'preferred_username', project: 'https://example.org/project', roles: 'realm_access.roles' }
    const claims = {
      preferred_username: 'ana@example.org',
      'https://example.org/project': 'mill',
      realm_access: { roles: ['reader'] },
    }
    expect(await open({}, names)(await sign(claims))).toEqual({
      principal: { userId: 'ana@example.org', projectId: 'mill', roles: ['reader'], source: 'oidc' },
    })
  })
})

describe('keys of the issuer', () => {
  it('are fetched once for all tokens', async () => {
    const ask = open()
    await Promise.all([ask(await sign()), ask(await sign({}, 'ec'))])
    await ask(await sign())
    expect([issuer.discoveries, issuer.keyFetches]).toEqual([1, 1])
  })

  it('are fetched once more for a key that is not among them', async () => {
    const ask = open({ cooldownMs: 0 })
    const { key, publish } = await issuer.newKey('new')
    expect(await ask(await sign())).toEqual({ principal: ANA })
    publish()
    expect(await ask(await sign({}, key))).toEqual({ principal: ANA })
    expect(issuer.keyFetches).toBe(2)
  })

  it('are not fetched again and again for made-up keys', async () => {
    const ask = open()
    const { key } = await issuer.newKey('made-up')
    const reason = { reason: expect.stringMatching(/key that its issuer does not have/) }
    for (let time = 0; time < 3; time += 1) expect(await ask(await sign({}, key))).toEqual(reason)
    expect(issuer.keyFetches).toBe(1)
  })

  it('stay in use while the issuer is down', async () => {
    const ask = open({ cooldownMs: 0 })
    await ask(await sign())
    const { key } = await issuer.newKey('made-up')
    issuer.keysTrouble = 'error'
    issuer.discoveryTrouble = 'error'
    await expect(ask(await sign({}, key))).rejects.toEqual(unavailable)
    expect(await ask(await sign())).toEqual({ principal: ANA })
  })
})

describe('the issuer in trouble', () => {
  it.each(TROUBLES)('lets nobody in when discovery ends in: %s', async (trouble) => {
    const ask = open({ callMs: 200 })
    issuer.discoveryTrouble = trouble
    await expect(ask(await sign())).rejects.toEqual(unavailable)
    expect(issuer.strays).toBe(0)
    issuer.discoveryTrouble = undefined
    expect(await ask(await sign())).toEqual({ principal: ANA })
  })

  it.each(TROUBLES)('lets nobody in when the key set ends in: %s', async (trouble) => {
    const ask = open({ callMs: 200 })
    issuer.keysTrouble = trouble
    await expect(ask(await sign())).rejects.toEqual(unavailable)
    expect(issuer.strays).toBe(0)
    issuer.keysTrouble = undefined
    expect(await ask(await sign())).toEqual({ principal: ANA })
  })

  it.each([
    ['names another issuer', { issuer: 'https://other.example.org' }],
    ['has no keys', { jwks_uri: undefined }],
    ['has keys that are no URL', { jwks_uri: 'keys' }],
    ['has keys in a file', { jwks_uri: 'file:///etc/keys' }],
    ['has keys elsewhere without TLS', { jwks_uri: 'http://keys.example.org/' }],
  ])('lets nobody in when the metadata %s', async (_, changes) => {
    issuer.metadata = { issuer: issuer.url, jwks_uri: `${issuer.url}/keys`, ...changes }
    await expect(open()(await sign())).rejects.toEqual(unavailable)
    expect(issuer.keyFetches).toBe(0)
  })

  it('shows nothing of a token in its errors', async () => {
    issuer.keysTrouble = 'garbage'
    const token = await sign()
    const shown = everythingOf(await rejectionOf(open()(token)))
    for (const part of token.split('.')) expect(shown).not.toContain(part)
  })
})
