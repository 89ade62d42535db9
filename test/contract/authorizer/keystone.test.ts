import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keystone } from '../../../functions/authorizer/keystone/keystone.ts'
import type { KeystoneCredential } from '../../../functions/authorizer/settings.schema.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { KeystoneStandIn, SERVICE_SECRET, type StandInToken } from '../../support/authorizer/keystone-stand-in.ts'
import { TROUBLES } from '../../support/authorizer/loopback.ts'
import { everythingOf, rejectionOf } from '../../support/kubernetes/leaks.ts'
import { gate } from '../../support/local/engine-lab.ts'
import { manualClock } from '../../support/store/contract-subject.ts'

const MINUTE = 60_000
const TOKEN = 'gAAAAABlYxQ-token-of-ana'
const ANA = { userId: 'ana', projectId: 'shop', roles: ['member', 'reader'], source: 'keystone' }

const clock = manualClock()
const inMinutes = (minutes: number): Date => new Date(clock.now().getTime() + minutes * MINUTE)

const applicationCredential = (secret = SERVICE_SECRET): KeystoneCredential => ({
  application_credential_id: 'fedplane',
  application_credential_secret: new Secret(secret),
})
const password: KeystoneCredential = {
  username: 'fedplane',
  password: new Secret(SERVICE_SECRET),
  user_domain_name: 'Default',
  project_name: 'service',
  project_domain_name: 'Default',
}

let server: KeystoneStandIn
let credential: KeystoneCredential
let reads: number
/** Where clients are told that Keystone is; `url` and one spelling more. */
const open = (suffix = '', questionMs?: number) =>
  keystone(
    {
      url: `${server.url}${suffix}`,
      readCredential: async () => {
        reads += 1
        return credential
      },
    },
    { clock, ...(questionMs === undefined ? {} : { questionMs }) },
  )

const put = (token: string, fields: Partial<StandInToken> = {}): void => {
  server.tokens.set(token, { expiresAt: inMinutes(60), ...fields })
}

beforeEach(async () => {
  server = new KeystoneStandIn()
  server.serviceExpiresAt = inMinutes(60)
  credential = applicationCredential()
  reads = 0
  await server.start()
  put(TOKEN)
})
afterEach(() => server.close())

const unavailable = expect.objectContaining({ name: 'IdentityProviderUnavailable', kind: 'unavailable' })

describe('a Keystone token', () => {
  it.each(['', '/', '/v3', '/v3/'])('becomes a principal (URL with "%s")', async (suffix) => {
    expect(await open(suffix)(TOKEN)).toEqual({ principal: ANA })
  })

  it('is validated with a password as well', async () => {
    credential = password
    expect(await open()(TOKEN)).toEqual({ principal: ANA })
  })

  it.each([
    [
      ['Admin', 'MEMBER', 'Reader'],
      ['admin', 'member', 'reader'],
    ],
    [['member', 'load-balancer_member', 'heat_stack_owner'], ['member']],
    [['_member_'], []],
    [[], []],
  ])('keeps of the roles %j those that we know', async (roles, known) => {
    put(TOKEN, { roles })
    expect(await open()(TOKEN)).toEqual({ principal: { ...ANA, roles: known } })
  })

  it.each([
    ['system', /system-scoped.*for a project/],
    ['domain', /domain-scoped/],
    ['none', /unscoped/],
  ] as const)('is refused when its scope is %s', async (scope, reason) => {
    put(TOKEN, { scope, roles: ['admin'] })
    expect(await open()(TOKEN)).toEqual({ reason: expect.stringMatching(reason) })
  })

  it.each([
    ['unknown', 'other'],
    ['of spaces', 'a b'],
    ['with a line break', 'a\r\nx-roles: admin'],
    ['beyond ASCII', 'tökén'],
    ['too long', 'x'.repeat(8_193)],
  ])('is refused when it is %s', async (_, token) => {
    expect(await open()(token)).toEqual({ reason: expect.stringMatching(/^Keystone does not know the token/) })
  })

  it('is refused when Keystone calls it malformed', async () => {
    server.validationStatus = 400
    expect(await open()(TOKEN)).toEqual({ reason: expect.any(String) })
  })

  it('is refused when it has expired by our clock', async () => {
    put(TOKEN, { expiresAt: inMinutes(-1) })
    expect(await open()(TOKEN)).toEqual({ reason: expect.any(String) })
  })
})

describe('Keystone in trouble', () => {
  it.each(TROUBLES)('lets nobody in when the validation ends in: %s', async (trouble) => {
    const ask = open('', 150)
    server.trouble = trouble
    await expect(ask(TOKEN)).rejects.toEqual(unavailable)
    expect(server.strays).toBe(0)
    server.trouble = undefined
    expect(await ask(TOKEN)).toEqual({ principal: ANA })
  })

  it.each(TROUBLES)('lets nobody in when our own login ends in: %s', async (trouble) => {
    const ask = open('', 150)
    server.loginTrouble = trouble
    await expect(ask(TOKEN)).rejects.toEqual(unavailable)
    expect(server.strays).toBe(0)
    server.loginTrouble = undefined
    expect(await ask(TOKEN)).toEqual({ principal: ANA })
  })

  it.each([403, 429, 500, 502, 201])('lets nobody in after a status of %d', async (status) => {
    server.validationStatus = status
    await expect(open()(TOKEN)).rejects.toEqual(unavailable)
  })

  it('lets nobody in when nothing listens', async () => {
    const ask = open()
    await server.close()
    await expect(ask(TOKEN)).rejects.toEqual(unavailable)
    await server.start()
  })

  it('shows neither tokens nor secrets in its errors', async () => {
    server.trouble = 'huge'
    const errors = [await rejectionOf(open()(TOKEN))]
    credential = applicationCredential('wrong-secret')
    errors.push(await rejectionOf(open()(TOKEN)))
    for (const error of errors) {
      expect(everythingOf(error)).not.toMatch(/token-of-ana|service-token-1|secret-that|wrong-secret/)
    }
  })
})

describe('the answers of Keystone', () => {
  it('are asked for once when two ask at the same time', async () => {
    const ask = open()
    const held = gate()
    server.gate = held.passed
    const both = Promise.all([ask(TOKEN), ask(TOKEN)])
    held.open()
    expect(await both).toEqual([{ principal: ANA }, { principal: ANA }])
    expect([server.logins, server.validations]).toEqual([1, 1])
  })

  it('are kept for five minutes', async () => {
    const ask = open()
    await ask(TOKEN)
    server.tokens.delete(TOKEN)
    clock.advance(5 * MINUTE - 1)
    expect(await ask(TOKEN)).toEqual({ principal: ANA })
    clock.advance(1)
    expect(await ask(TOKEN)).toEqual({ reason: expect.any(String) })
    expect(server.validations).toBe(2)
  })

  it('are not kept beyond the expiry of the token', async () => {
    put(TOKEN, { expiresAt: inMinutes(1) })
    const ask = open()
    await ask(TOKEN)
    clock.advance(MINUTE - 1)
    expect(await ask(TOKEN)).toEqual({ principal: ANA })
    clock.advance(1)
    expect(await ask(TOKEN)).toEqual({ reason: expect.any(String) })
  })

  it('are kept for ten seconds when they are refusals', async () => {
    const ask = open()
    await ask('new')
    put('new')
    clock.advance(9_999)
    expect(await ask('new')).toEqual({ reason: expect.any(String) })
    clock.advance(1)
    expect(await ask('new')).toEqual({ principal: ANA })
  })

  it('are kept of each token apart', async () => {
    put('token-of-ben', { userId: 'ben', projectId: 'mill', roles: ['admin'] })
    const ask = open()
    const ben = { userId: 'ben', projectId: 'mill', roles: ['admin'], source: 'keystone' }
    expect(await ask(TOKEN)).toEqual({ principal: ANA })
    expect(await ask('token-of-ben')).toEqual({ principal: ben })
    expect(await ask(TOKEN)).toEqual({ principal: ANA })
  })
})

describe('the token of the service', () => {
  it('is asked for once by all who need it at the same time', async () => {
    const ask = open()
    await Promise.all(['one', 'two', TOKEN].map((token) => ask(token)))
    expect([server.logins, server.validations]).toEqual([1, 3])
  })

  it('is kept until a minute before it expires', async () => {
    server.serviceExpiresAt = inMinutes(30)
    const ask = open()
    await ask('one')
    clock.advance(29 * MINUTE - 1)
    await ask('two')
    expect(server.logins).toBe(1)
    clock.advance(1)
    await ask('three')
    expect([server.logins, reads]).toEqual([2, 1])
  })

  it('is renewed when Keystone refuses it', async () => {
    const ask = open()
    await ask('one')
    server.revokeServiceTokens()
    expect(await ask(TOKEN)).toEqual({ principal: ANA })
    expect(server.logins).toBe(2)
  })

  it('is renewed once only when Keystone refuses every one', async () => {
    server.validationStatus = 401
    await expect(open()(TOKEN)).rejects.toEqual(unavailable)
    expect([server.logins, server.validations]).toEqual([2, 2])
  })

  it('is asked for with the credential as it is now, after a rotation', async () => {
    const ask = open()
    await ask('one')
    server.serviceSecret = 'rotated'
    credential = applicationCredential('rotated')
    server.revokeServiceTokens()
    expect(await ask(TOKEN)).toEqual({ principal: ANA })
    expect(reads).toBe(2)
  })

  it('is not asked for again at once with a wrong credential', async () => {
    credential = applicationCredential('wrong')
    const ask = open()
    await expect(ask(TOKEN)).rejects.toThrow(/refuses the service credential/)
    await expect(ask(TOKEN)).rejects.toThrow(/refuses the service credential/)
    expect(server.logins).toBe(1)
    credential = applicationCredential()
    clock.advance(30_000)
    expect(await ask(TOKEN)).toEqual({ principal: ANA })
  })

  it('is not asked for when the secret can not be read, and the next question reads it again', async () => {
    const failing = { fails: true }
    const ask = keystone(
      {
        url: server.url,
        readCredential: async () => {
          if (failing.fails) throw new TypeError('no secret')
          return credential
        },
      },
      { clock },
    )
    await expect(ask(TOKEN)).rejects.toThrow(TypeError)
    failing.fails = false
    expect(await ask(TOKEN)).toEqual({ principal: ANA })
  })
})
