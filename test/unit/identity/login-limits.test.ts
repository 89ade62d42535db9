import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sourceOf, withinLoginLimits } from '../../../functions/identity-api/login-limits.ts'
import { dynamoIdentityStore } from '../../../functions/store/dynamodb/identity-store.ts'
import type { IdentityStore } from '../../../functions/store/identity.store.ts'
import { type ManualClock, manualClock } from '../../support/store/contract-subject.ts'
import { createTestTable, type TestTable } from '../../support/store/database.ts'

let table: TestTable
let clock: ManualClock
let store: IdentityStore

beforeAll(async () => {
  table = await createTestTable()
})
afterAll(() => table.dispose())
beforeEach(() => {
  clock = manualClock('2026-11-29T10:00:00.000Z')
})

/** Each test has users and addresses of its own: counts stay. */
const login = async (user: string, source: string, isGood = false): Promise<'good' | 'bad' | string> => {
  store = dynamoIdentityStore({ ...table, clock })
  const attempt = async () => (isGood ? true : undefined)
  try {
    return (await withinLoginLimits({ store, clock }, { user, source }, attempt)) ? 'good' : 'bad'
  } catch (error) {
    return String((error as { kind: string }).kind)
  }
}
const failures = async (count: number, of: (index: number) => [user: string, source: string]) => {
  const all = []
  for (let index = 0; index < count; index++) all.push(await login(...of(index)))
  return all.filter((it) => it === 'bad').length
}

describe('withinLoginLimits', () => {
  it('lets a user fail twenty times from one address, and then not in with the right password either', async () => {
    expect(await failures(30, () => ['ana', '192.0.2.1'])).toBe(20)
    expect(await login('ana', '192.0.2.1', true)).toBe('throttled')
  })

  it('locks no user out for others: elsewhere they get in', async () => {
    await failures(300, () => ['ben', '192.0.2.2'])
    expect(await login('ben', '192.0.2.3', true)).toBe('good')
  })

  it('lets one address try a hundred times, whichever users it names', async () => {
    expect(await failures(150, (index) => [`user-${index}`, '192.0.2.4'])).toBe(100)
  })

  it('lets a user be guessed at from many addresses two hundred times', async () => {
    expect(await failures(250, (index) => ['carla', `198.51.100.${index}`])).toBe(200)
  })

  it('begins anew after five minutes', async () => {
    await failures(21, () => ['dora', '192.0.2.5'])
    clock.advance(5 * 60_000)
    expect(await login('dora', '192.0.2.5', true)).toBe('good')
  })

  it('counts no good login', async () => {
    for (let turn = 0; turn < 50; turn++) expect(await login('eva', '192.0.2.6', true)).toBe('good')
    expect(await failures(30, () => ['eva', '192.0.2.6'])).toBe(20)
  })

  it('counts none that could not be tried', async () => {
    const busy = async () => {
      throw new Error('busy')
    }
    for (let turn = 0; turn < 30; turn++) {
      const tried = withinLoginLimits({ store, clock }, { user: 'hal', source: '192.0.2.9' }, busy)
      await expect(tried).rejects.toThrow('busy')
    }
    expect(await login('hal', '192.0.2.9', true)).toBe('good')
  })

  it('lets no more through at once', async () => {
    const all = await Promise.all(Array.from({ length: 100 }, () => login('fred', '192.0.2.7')))
    expect(all.filter((it) => it === 'bad')).toHaveLength(20)
  })

  it('says when to try again', async () => {
    await failures(20, () => ['gil', '192.0.2.8'])
    clock.advance(60_000)
    const refused = withinLoginLimits({ store, clock }, { user: 'gil', source: '192.0.2.8' }, async () => true)
    await expect(refused).rejects.toMatchObject({ kind: 'throttled', headers: { 'Retry-After': '240' } })
  })
})

describe('sourceOf', () => {
  it.each([
    ['192.0.2.1', '::ffff:192.0.2.1'],
    ['2001:db8:1:2::1', '2001:db8:1:2:ffff::9'],
  ])('takes %s and %s for one', (one, other) => {
    expect(sourceOf(one)).toBe(sourceOf(other))
  })

  it('tells networks apart', () => {
    expect(sourceOf('2001:db8:1:2::1')).not.toBe(sourceOf('2001:db8:1:3::1'))
  })
})
