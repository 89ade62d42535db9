import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Cloud, CloudGrant } from '../../../functions/cloud/cloud.ts'
import { keystoneCloud } from '../../../functions/cloud/keystone/keystone-cloud.ts'
import { DEFAULT_CLUSTER_ROLES } from '../../../functions/core/values/identity.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { KeystoneStandIn, type StandInToken } from '../../support/authorizer/keystone-stand-in.ts'
import { TROUBLES, type Trouble } from '../../support/authorizer/loopback.ts'
import { everythingOf, rejectionOf } from '../../support/kubernetes/leaks.ts'

const TOKEN = 'token-of-ana'
const PURPOSE = { projectId: 'shop', clusterId: '0198-c', suffix: 'a1b2c3d4' }
const LEAF = 'fedplane-0198-c-a1b2c3d4'
const MINTER = `${LEAF}-renewal`

let server: KeystoneStandIn
let cloud: Cloud

const open = (questionMs?: number, roles: readonly string[] = DEFAULT_CLUSTER_ROLES): Cloud =>
  keystoneCloud({ base: server.url, region: 'north', caPem: null, roles }, questionMs)
const put = (fields: Partial<StandInToken> = {}, token = TOKEN): void => {
  server.tokens.set(token, { expiresAt: new Date('2027-01-01T00:00:00Z'), ...fields })
}
/** Of these nothing is known before the time is over. */
const waits = (trouble: Trouble): boolean => trouble === 'hang' || trouble === 'stall'
const grant = (by = cloud): Promise<CloudGrant> => by.grant(new Secret(TOKEN), 'ana', PURPOSE)
const refOf = ({ userId, restricted, unrestricted }: CloudGrant) => ({
  userId,
  restrictedId: restricted.id,
  unrestricted,
})
const namesOf = (userId = 'ana'): string[] => server.credentials.namesOf(userId)
const stored = (name: string) => [...server.credentials.all.values()].find((one) => one.name === name)

beforeEach(async () => {
  server = new KeystoneStandIn()
  await server.start()
  cloud = open()
  put()
})
afterEach(() => server.close())

describe('a grant', () => {
  it('is a restricted credential restricted and an unrestricted credential unrestricted of the user, in the project', async () => {
    const { userId, restricted, unrestricted } = await grant()
    expect(userId).toBe('ana')
    expect(namesOf()).toEqual([MINTER, LEAF])
    const common = { userId: 'ana', projectId: 'shop', roles: ['member'] }
    expect(stored(LEAF)).toMatchObject({
      ...common,
      id: restricted.id,
      secret: restricted.secret.reveal(),
      unrestricted: false,
    })
    expect(stored(MINTER)).toMatchObject({ ...common, id: unrestricted.id, unrestricted: true })
  })

  it.each([
    [
      ['admin', 'member', 'load-balancer_member'],
      ['member', 'load-balancer_member'],
    ],
    [['Admin', 'Member'], ['Member']],
    [
      ['member', 'creator', 'manager', 'project-owner', 'swiftoperator', 'reader'],
      ['member', 'creator'],
    ],
  ])('lends of the roles %j %j', async (roles, lent) => {
    put({ roles })
    await grant()
    expect(stored(LEAF)?.roles).toEqual(lent)
    expect(stored(MINTER)?.roles).toEqual(lent)
  })

  it.each([['admin'], ['Admin', 'manager'], ['reader'], []])(
    'is refused to a caller with the roles %j only',
    async (...roles) => {
      put({ roles })
      await expect(grant()).rejects.toMatchObject({
        name: 'CloudCredentialRefused',
        kind: 'invalid',
        message: expect.stringMatching(/none of the roles.*member, load-balancer_member, creator/),
      })
      expect(namesOf()).toEqual([])
    },
  )

  it('lends other roles where the operator says so, and never admin', async () => {
    put({ roles: ['admin', 'member', 'cluster-machines'] })
    await grant(open(undefined, ['cluster-machines', 'admin']))
    expect(stored(MINTER)?.roles).toEqual(['cluster-machines'])
  })

  it('is made with an unrestricted application credential as well', async () => {
    server.credentials.all.set('mine', {
      id: 'mine',
      name: 'mine',
      secret: 's',
      userId: 'ana',
      projectId: 'shop',
      roles: ['member'],
      unrestricted: true,
    })
    put({ by: { id: 'mine', unrestricted: true }, roles: ['member'] })
    await grant()
    expect(namesOf()).toEqual(['mine', MINTER, LEAF])
  })

  it('replaces what an earlier try with the same suffix left behind', async () => {
    const first = await grant()
    const second = await grant()
    expect(namesOf()).toEqual([MINTER, LEAF])
    expect(second.restricted.id).not.toBe(first.restricted.id)
  })

  it.each<[string, Partial<StandInToken> | null, RegExp]>([
    ['a restricted application credential', { by: { id: 'x', unrestricted: false } }, /--unrestricted/],
    ['another user', { userId: 'ben' }, /not that of the caller/],
    ['another project', { projectId: 'mill' }, /not that of the caller/],
    ['no project', { scope: 'system' }, /not that of the caller/],
    ['roles by the groups of an identity provider', { federated: true }, /given to the user himself/],
  ])('is refused with a token of %s, and says what to do', async (_, fields, words) => {
    put(fields ?? {})
    await expect(grant()).rejects.toMatchObject({
      name: 'CloudCredentialRefused',
      kind: 'invalid',
      message: expect.stringMatching(words),
    })
    expect(namesOf()).toEqual([])
  })

  it('is refused as unauthenticated with a token that is no longer good', async () => {
    server.tokens.clear()
    await expect(grant()).rejects.toMatchObject({ name: 'CloudTokenRefused', kind: 'unauthenticated' })
  })

  it("is refused with Keystone's words at the limit, and leaves nothing", async () => {
    server.credentials.limit = 1
    await expect(grant()).rejects.toMatchObject({
      name: 'CloudCredentialRefused',
      message: expect.stringMatching(/403.*Unable to create additional.*number of application credentials/),
    })
    expect(namesOf()).toEqual([])
  })

  it.each(TROUBLES)('leaves nothing when making the restricted credential ends in: %s', async (trouble) => {
    server.credentialTrouble = (call, count) => (call === 'POST' && count === 2 ? { trouble, done: true } : undefined)
    await expect(grant(waits(trouble) ? open(1_000) : cloud)).rejects.toMatchObject({
      name: 'IdentityProviderUnavailable',
      retryable: true,
    })
    expect(namesOf()).toEqual([])
    expect(server.strays).toBe(0)
  })

  it('leaves nothing when the answer of the first is lost', async () => {
    server.credentialTrouble = (call, count) =>
      call === 'POST' && count === 1 ? { trouble: 'down', done: true } : undefined
    await expect(grant()).rejects.toMatchObject({ name: 'IdentityProviderUnavailable' })
    expect(namesOf()).toEqual([])
  })

  it('tells whoever gets it where to log in', () => {
    expect(cloud.access).toEqual({ authUrl: `${server.url}/v3`, region: 'north', caPem: null })
  })
})

describe('a grant of before', () => {
  const next = { ...PURPOSE, suffix: 'e5f6' }

  it('is renewed without the user', async () => {
    const before = await grant()
    server.tokens.clear()
    const after = await cloud.renew(refOf(before), next)
    expect(after.userId).toBe('ana')
    expect(namesOf()).toEqual([MINTER, LEAF, 'fedplane-0198-c-e5f6-renewal', 'fedplane-0198-c-e5f6'])
    expect(stored('fedplane-0198-c-e5f6')).toMatchObject({ unrestricted: false, roles: ['member'] })
  })

  it('can no longer be renewed when the user lost his role', async () => {
    const before = await grant()
    expect(await cloud.isAlive(refOf(before))).toBe(true)
    server.removeRole('ana', 'shop')
    expect(await cloud.isAlive(refOf(before))).toBe(false)
    await expect(cloud.renew(refOf(before), next)).rejects.toMatchObject({
      name: 'CloudGrantDead',
      message: expect.stringMatching(/user ana.*PATCH \/v1\/credentials/),
    })
  })

  it('that was made with "admin" alone ends with the next renewal, and says who replaces it', async () => {
    const before = await grant()
    for (const one of server.credentials.all.values()) Object.assign(one, { roles: ['admin'] })
    await expect(cloud.renew(refOf(before), next)).rejects.toMatchObject({
      name: 'CloudGrantDead',
      message: expect.stringMatching(/none of the roles.*PATCH \/v1\/credentials/),
    })
    expect(namesOf()).toEqual([MINTER, LEAF])
  })

  it('is revoked with both credentials', async () => {
    const before = await grant()
    const after = await cloud.renew(refOf(before), next)
    await cloud.revoke(refOf(before))
    expect(namesOf()).toEqual(['fedplane-0198-c-e5f6-renewal', 'fedplane-0198-c-e5f6'])
    await cloud.revoke(refOf(after))
    expect(namesOf()).toEqual([])
  })

  it('is revoked when its restricted credential is gone already', async () => {
    const before = await grant()
    server.credentials.all.delete(before.restricted.id)
    await cloud.revoke(refOf(before))
    expect(namesOf()).toEqual([])
  })

  it('names what can not be revoked', async () => {
    const before = await grant()
    server.removeRole('ana', 'shop')
    await expect(cloud.revoke(refOf(before))).rejects.toMatchObject({
      name: 'CloudGrantLeft',
      message: expect.stringMatching(`${before.restricted.id} and ${before.unrestricted.id} of user ana`),
    })
  })

  it.each(['LOGIN', 'DELETE'] as const)('can be revoked later when %s finds Keystone down', async (call) => {
    const before = await grant()
    server.credentialTrouble = (now) => (now === call ? { trouble: 'down', done: false } : undefined)
    await expect(cloud.revoke(refOf(before))).rejects.toMatchObject({ retryable: true })
    server.credentialTrouble = undefined
    await cloud.revoke(refOf(before))
    expect(namesOf()).toEqual([])
  })
})

it('shows neither tokens nor secrets in its errors', async () => {
  const before = await grant()
  const errors = [await rejectionOf(cloud.grant(new Secret('token-unknown'), 'ana', PURPOSE))]
  server.credentials.limit = 0
  errors.push(await rejectionOf(cloud.renew(refOf(before), { ...PURPOSE, suffix: 'x' })))
  server.credentialTrouble = () => ({ trouble: 'huge', done: true })
  errors.push(await rejectionOf(cloud.revoke(refOf(before))))
  for (const error of errors) {
    expect(everythingOf(error)).not.toMatch(/token-of-ana|token-unknown|session-token|secret-that/)
  }
})
