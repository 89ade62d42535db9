import { describe, expect, it } from 'vitest'
import { IdentityCache } from '../../../functions/authorizer/keystone/keystone.ts'
import { manualClock } from '../../support/store/contract-subject.ts'

const clock = manualClock()
const later = (): number => clock.now().getTime() + 60_000

/** Asks for tokens and notes for which of them an answer had to be found. */
const openCache = (max?: number) => {
  const cache = new IdentityCache(clock, max)
  const asked: string[] = []
  const get = (token: string) =>
    cache.get(token, async () => {
      asked.push(token)
      return { identity: { reason: token }, until: later() }
    })
  return { cache, asked, get }
}

describe('IdentityCache', () => {
  it('keeps the tokens that were used last', async () => {
    const { asked, get } = openCache(2)
    for (const token of ['a', 'b', 'a', 'c', 'a', 'b']) expect(await get(token)).toEqual({ reason: token })
    expect(asked).toEqual(['a', 'b', 'c', 'b'])
  })

  it('keeps no failure', async () => {
    const { cache, asked, get } = openCache()
    const failing = () => cache.get('a', () => Promise.reject(new TypeError('no answer')))
    await expect(failing()).rejects.toThrow(TypeError)
    await expect(failing()).rejects.toThrow(TypeError)
    expect(await get('a')).toEqual({ reason: 'a' })
    expect(asked).toEqual(['a'])
  })

  it('gives everybody the failure who asked meanwhile', async () => {
    const { cache } = openCache()
    const { promise, reject } = Promise.withResolvers<never>()
    const all = Promise.allSettled([cache.get('a', () => promise), cache.get('a', () => promise)])
    reject(new TypeError('no answer'))
    expect((await all).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
