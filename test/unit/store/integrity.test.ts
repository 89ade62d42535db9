import { createSecretKey, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { itemIntegrity } from '../../../functions/store/sealing/integrity.ts'

const key = createSecretKey(randomBytes(32))
const integrity = itemIntegrity(async () => key)
const of = (...facts: unknown[]) => integrity.of('blue', ['cluster', 'blue', 'c1', ...facts])

describe('ItemIntegrity', () => {
  it('is the same in whatever order keys come back, at any depth, and another one for any other value', async () => {
    const one = await of({ a: 1, b: [{ c: null, d: 'x' }] })
    expect(await of({ b: [{ d: 'x', c: null }], a: 1 })).toBe(one)
    expect(await of({ b: [{ d: 'x', c: null }], a: 2 })).not.toBe(one)
    expect(await of({ b: [{ d: 'x' }], a: 1 })).not.toBe(one)
  })

  it('takes all of JSON', async () => {
    const facts = [null, true, -1.5, '', [], {}, Object.create(null), JSON.parse('{"__proto__": {"1": [{}]}}')]
    await integrity.check('blue', ['cluster', 'blue', 'c1', facts], await of(facts))
  })

  class Role {
    name = 'admin'
  }
  it.each([
    ['undefined', undefined],
    ['a function', () => 'x'],
    ['a symbol', Symbol('x')],
    ['a bigint', 1n],
    ['NaN', Number.NaN],
    ['Infinity', Number.POSITIVE_INFINITY],
    ['a Date', new Date(0)],
    ['a Map', new Map([['a', 1]])],
    ['a Set', new Set(['a'])],
    ['bytes', new Uint8Array(2)],
    ['an object of a class', new Role()],
    ['an object that says what it is in JSON', { toJSON: () => 'x' }],
    ['a key that is a symbol', { [Symbol('x')]: 1 }],
    ['a hole in a list', new Array(1)],
  ])('throws on %s, bare and inside: it would stand for something else, or for nothing', async (_, value) => {
    for (const fact of [value, [value], { a: { b: value } }]) {
      await expect(of(fact)).rejects.toThrow(/not plain JSON/)
    }
  })
})
