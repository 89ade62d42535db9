import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { parseDirectory, type UserDirectory } from '../../../functions/identity/directory.schema.ts'
import { hashPassword } from '../../../functions/identity/password.ts'
import { identityOfToken, passwordMark, type TokenAuthority } from '../../../functions/identity/session.ts'
import { signToken, type TokenClaims, verifyToken } from '../../../functions/identity/token.ts'
import { tokenAuthority } from '../../../functions/runtime/token-authority.ts'
import { dynamoIdentityStore } from '../../../functions/store/dynamodb/identity-store.ts'
import type { ApplicationCredential } from '../../../functions/store/identity.store.ts'
import { keptLog } from '../../support/local/engine-lab.ts'
import { type ManualClock, manualClock } from '../../support/store/contract-subject.ts'
import { createTestTable, type TestTable } from '../../support/store/database.ts'

const KEY = new Uint8Array(32).fill(7)
const users = [
  { name: 'ana', password: await hashPassword('x'), projects: [{ name: 'shop', roles: ['member', 'reader'] }] },
]
const directory = (parseDirectory({ users }) as { directory: UserDirectory }).directory
const ana = directory.byName.get('ana')!

let table: TestTable
let clock: ManualClock
let authority: TokenAuthority

beforeAll(async () => {
  table = await createTestTable()
})
afterAll(() => table.dispose())
beforeEach(() => {
  clock = manualClock('2026-11-29T10:00:00.000Z')
  const store = dynamoIdentityStore({ ...table, clock })
  authority = { directory: async () => directory, tokenKey: async () => KEY, store, clock }
})

const claims = (more: Partial<TokenClaims> = {}): TokenClaims => ({
  id: crypto.randomUUID(),
  ancestors: [],
  userId: 'ana',
  projectId: 'shop',
  methods: ['password'],
  issuedAt: clock.now(),
  expiresAt: new Date(clock.now().getTime() + 3_600_000),
  ...more,
})
const identityOf = async (more: Partial<TokenClaims> = {}) =>
  identityOfToken(authority, await signToken(claims(more), KEY))

describe('a token', () => {
  it('carries all that it was made of', async () => {
    const federated = { projectId: 'shop', roles: ['reader' as const] }
    const more = { ancestors: ['a', 'b'], applicationCredentialId: 'c', password: 'mark', federated }
    const made = claims(more)
    expect(await verifyToken(await signToken(made, KEY), KEY, clock.now())).toEqual(made)
  })

  it('is good until it expires, to the second', async () => {
    const token = await signToken(claims(), KEY)
    clock.advance(3_599_000)
    expect(await identityOfToken(authority, token)).toHaveProperty('principal')
    clock.advance(1_000)
    expect(await identityOfToken(authority, token)).toEqual({ reason: expect.stringMatching(/expired/) })
  })

  it('has the roles that its user has, not those that it once had', async () => {
    expect(await identityOf()).toEqual({
      principal: { userId: 'ana', projectId: 'shop', roles: ['member', 'reader'], source: 'users' },
    })
  })

  it.each<[string, Partial<TokenClaims>, RegExp]>([
    ['of a user that is gone', { userId: 'ben' }, /not there any more/],
    ['for a project that the user has left', { projectId: 'lab' }, /no role in its project/],
    ['got with a password that was changed', { password: 'before' }, /password was changed/],
    ['of an application credential that is gone', { applicationCredentialId: 'gone' }, /was deleted/],
    ['for no project', { projectId: null }, /unscoped/],
  ])('is refused %s', async (_, more, reason) => {
    expect(await identityOf(more)).toEqual({ reason: expect.stringMatching(reason) })
  })

  it('got with the present password is good', async () => {
    expect(await identityOf({ password: passwordMark(ana) })).toHaveProperty('principal')
  })

  it('is refused once it, or one that it was got with, is revoked', async () => {
    const [first, second] = [claims(), claims()]
    await authority.store.revoke(first.id, first.expiresAt)
    expect(await identityOf({ id: first.id })).toHaveProperty('reason')
    expect(await identityOf({ ancestors: [second.id, first.id] })).toHaveProperty('reason')
    expect(await identityOf({ ancestors: [second.id] })).toHaveProperty('principal')
  })

  it.each(['', 'a.b.c', 'nonsense', 'x'.repeat(9000)])('is nothing else: %.20s', async (token) => {
    expect(await identityOfToken(authority, token)).toHaveProperty('reason')
  })
})

describe('a token of an application credential', () => {
  const credential = (more: Partial<ApplicationCredential>): ApplicationCredential => ({
    id: crypto.randomUUID(),
    name: crypto.randomUUID(),
    description: '',
    userId: 'ana',
    projectId: 'shop',
    roles: ['reader'],
    unrestricted: false,
    secretDigest: '',
    expiresAt: null,
    createdAt: clock.now().toISOString(),
    ...more,
  })
  const withCredential = async (more: Partial<ApplicationCredential>) => {
    const made = credential(more)
    await authority.store.addApplicationCredential(made)
    return identityOf({ applicationCredentialId: made.id })
  }

  it('has its roles, as far as the user has them', async () => {
    expect(await withCredential({})).toMatchObject({ principal: { roles: ['reader'] } })
    expect(await withCredential({ roles: ['admin', 'member'] })).toMatchObject({ principal: { roles: ['member'] } })
    expect(await withCredential({ roles: ['admin'] })).toHaveProperty('reason')
  })

  it('ends with it', async () => {
    const expiresAt = new Date(clock.now().getTime() + 60_000).toISOString()
    expect(await withCredential({ expiresAt })).toHaveProperty('principal')
    clock.advance(60_000)
    expect(await withCredential({ expiresAt })).toEqual({ reason: expect.stringMatching(/expired/) })
  })

  it('is refused for another user than its own', async () => {
    expect(await withCredential({ userId: 'ben' })).toHaveProperty('reason')
  })
})

describe('tokenAuthority', () => {
  const arn = (name: string) => `arn:aws:secretsmanager:eu-central-1:111122223333:secret:${name}-a1B2c3`
  const env = { TABLE_NAME: 'table', IDENTITY_USERS_ARN: arn('users'), IDENTITY_TOKEN_KEY_ARN: arn('key') }
  const secrets = new Map<string, string>()
  const log = keptLog()
  let reads = 0
  const open = () =>
    tokenAuthority(
      env,
      log,
      (name) => async () => {
        reads += 1
        return secrets.get(name) ?? Promise.reject(new Error('no answer'))
      },
      clock,
    )
  const names = async (of: TokenAuthority) => [...(await of.directory()).byName.keys()]

  beforeEach(() => {
    reads = 0
    secrets.set(arn('users'), JSON.stringify({ users })).set(arn('key'), 'k'.repeat(64))
  })

  it('reads the users again after a minute', async () => {
    const opened = open()
    expect(await names(opened)).toEqual(['ana'])
    secrets.set(arn('users'), JSON.stringify({ users: [{ ...users[0], name: 'ben' }] }))
    clock.advance(59_000)
    expect([await names(opened), reads]).toEqual([['ana'], 1])
    clock.advance(1_000)
    expect([await names(opened), reads]).toEqual([['ben'], 2])
  })

  it('keeps what was there while the secret is wrong or not to be had, and logs it without a password', async () => {
    const opened = open()
    await names(opened)
    for (const text of ['{"users": [{"name": "ana", "password": "hunter2"}]}', 'hunter2', undefined]) {
      if (text === undefined) secrets.delete(arn('users'))
      else secrets.set(arn('users'), text)
      clock.advance(60_000)
      expect(await names(opened)).toEqual(['ana'])
    }
    expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(3)
    expect(JSON.stringify(log.lines.map(({ fields }) => String((fields as { error: Error }).error)))).not.toMatch(
      /hunter2/,
    )
  })

  it('lets nobody in while it has never had users or a key', async () => {
    secrets.set(arn('users'), '[]').set(arn('key'), 'short')
    await expect(open().directory()).rejects.toMatchObject({ name: 'IdentityProviderUnavailable', kind: 'unavailable' })
    await expect(open().tokenKey()).rejects.toMatchObject({
      kind: 'unavailable',
      message: expect.not.stringContaining('short'),
    })
  })
})
