import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addNumbers, normalizeNumber, orderedNumber } from '../../../local/dynamodb/items/number.ts'

/** Numbers with few digits, of every magnitude that JavaScript tells exactly apart. */
const texts = fc
  .tuple(fc.integer({ min: -99_999, max: 99_999 }), fc.integer({ min: -100, max: 100 }))
  .map(([digits, power]) => `${digits}e${power}`)

describe('numbers', () => {
  it.each([
    ['1.50', '1.5'],
    ['-0', '0'],
    ['1e3', '1000'],
    ['+.5', '0.5'],
    ['00012', '12'],
    ['1E-3', '0.001'],
    ['12345678901234567890123456789012345678', '12345678901234567890123456789012345678'],
  ])('%s is written %s', (text, normal) => expect(normalizeNumber(text)).toBe(normal))

  it.each(['', 'x', '1e', '--1', '1e126', '1e-131', '1'.repeat(39), 'Infinity', 'NaN', '0x10'])(
    '%s is none',
    (text) => {
      expect(() => normalizeNumber(text)).toThrow(expect.objectContaining({ name: 'ValidationException' }))
    },
  )

  it('have bytes in their order', () => {
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        expect(Math.sign(Buffer.compare(orderedNumber(one), orderedNumber(other)))).toBe(
          Math.sign(Number(one) - Number(other)),
        )
      }),
    )
  })

  it('are added exactly', () => {
    expect(addNumbers('0.1', '0.2')).toBe('0.3')
    expect(addNumbers('1', '1', -1)).toBe('0')
    expect(() => addNumbers('1e50', '1')).toThrow(/38 significant digits/)
    fc.assert(
      fc.property(fc.bigInt(-(10n ** 30n), 10n ** 30n), fc.bigInt(-(10n ** 30n), 10n ** 30n), (one, other) => {
        expect(addNumbers(`${one}`, `${other}`)).toBe(`${one + other}`)
      }),
    )
  })
})
