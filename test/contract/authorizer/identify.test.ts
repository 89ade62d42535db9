import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { identifier } from '../../../functions/authorizer/identify.ts'
import { DEFAULT_CLAIMS, type IdentitySettings } from '../../../functions/authorizer/settings.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { AUDIENCE, IssuerStandIn } from '../../support/authorizer/issuer-stand-in.ts'
import { KeystoneStandIn, SERVICE_SECRET } from '../../support/authorizer/keystone-stand-in.ts'
import { keptLog } from '../../support/local/engine-lab.ts'
import { manualClock } from '../../support/store/contract-subject.ts'

const clock = manualClock()
const TOKEN = 'token-of-ana'

const cloud = new KeystoneStandIn()
const issuer = new IssuerStandIn()
let both: Required<Omit<IdentitySettings, 'users'>>
let jwt: string

beforeAll(async () => {
  await Promise.all([cloud.start(), issuer.start()])
  const credential = {
    application_credential_id: 'fedplane',
    application_credential_secret: new Secret(SERVICE_SECRET),
  }
  both = {
    keystone: { url: cloud.url, readCredential: async () => credential },
    oidc: { issuer: issuer.url, audience: AUDIENCE, claims: DEFAULT_CLAIMS },
  }
  cloud.serviceExpiresAt = new Date(clock.now().getTime() + 3_600_000)
  cloud.tokens.set(TOKEN, { expiresAt: cloud.serviceExpiresAt, userId: 'keystone-user' })
  jwt = await issuer.sign({ ...issuer.claims(clock.now()), sub: 'oidc-user' })
})
afterAll(async () => {
  await Promise.all([cloud.close(), issuer.close()])
})
beforeEach(() => {
  cloud.trouble = undefined
  issuer.discoveryTrouble = undefined
})

const keystoneOnly = (): IdentitySettings => ({ keystone: both.keystone })
const oidcOnly = (): IdentitySettings => ({ oidc: both.oidc })

const identify = (settings: IdentitySettings, headers: Record<string, string>, log = keptLog()) =>
  identifier(settings, { clock, log })(headers)

describe('identifier', () => {
  it.each<[string, () => IdentitySettings, () => Record<string, string>, string]>([
    ['Keystone', keystoneOnly, () => ({ 'x-auth-token': TOKEN }), 'keystone-user'],
    ['OIDC', oidcOnly, () => ({ authorization: `Bearer ${jwt}` }), 'oidc-user'],
    ['OIDC, in lower case', oidcOnly, () => ({ authorization: `bearer  ${jwt} ` }), 'oidc-user'],
    ['both, by Keystone', () => both, () => ({ 'x-auth-token': TOKEN }), 'keystone-user'],
    ['both, by OIDC', () => both, () => ({ authorization: `Bearer ${jwt}` }), 'oidc-user'],
    [
      'both at once, Keystone first',
      () => both,
      () => ({ 'x-auth-token': TOKEN, authorization: `Bearer ${jwt}` }),
      'keystone-user',
    ],
    [
      'OIDC beside a token for nobody here',
      oidcOnly,
      () => ({ 'x-auth-token': TOKEN, authorization: `Bearer ${jwt}` }),
      'oidc-user',
    ],
    [
      'OIDC beside an empty token',
      () => both,
      () => ({ 'x-auth-token': ' ', authorization: `Bearer ${jwt}` }),
      'oidc-user',
    ],
  ])('knows who calls by %s', async (_, settings, headers, userId) => {
    expect(await identify(settings(), headers())).toMatchObject({ principal: { userId, projectId: 'shop' } })
  })

  it.each<[string, () => IdentitySettings, () => Record<string, string>, RegExp]>([
    ['there are no providers', () => ({}), () => ({ 'x-auth-token': TOKEN }), /^No identity provider is configured/],
    ['there is no token', () => both, () => ({}), /no token: send X-Auth-Token .*, or Authorization: Bearer/],
    ['Basic is used', () => both, () => ({ authorization: `Basic ${jwt}` }), /no token/],
    ['a bearer token comes to Keystone', keystoneOnly, () => ({ authorization: `Bearer ${TOKEN}` }), /X-Auth-Token/],
    ['a Keystone token comes to OIDC', oidcOnly, () => ({ 'x-auth-token': TOKEN }), /Authorization: Bearer/],
    [
      'the first of two tokens is wrong',
      () => both,
      () => ({ 'x-auth-token': 'wrong', authorization: `Bearer ${jwt}` }),
      /Keystone does not know/,
    ],
  ])('says why it is nobody when %s', async (_, settings, headers, reason) => {
    expect(await identify(settings(), headers())).toEqual({ reason: expect.stringMatching(reason) })
  })

  it.each<[string, () => Record<string, string>, RegExp]>([
    ['Keystone', () => ({ 'x-auth-token': TOKEN }), /Keystone can't validate/],
    ['the issuer', () => ({ authorization: `Bearer ${jwt}` }), /keys of the token's issuer/],
  ])('says that it can not find out while %s is down, and logs why', async (_, headers, unavailable) => {
    cloud.trouble = 'error'
    issuer.discoveryTrouble = 'error'
    const log = keptLog()
    expect(await identify(both, headers(), log)).toEqual({ unavailable: expect.stringMatching(unavailable) })
    expect(log.lines).toMatchObject([{ level: 'error', fields: { error: { name: 'IdentityProviderUnavailable' } } }])
  })
})
