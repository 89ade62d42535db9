import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listInWords, quote } from '../../../functions/core/values/wording.ts'

describe('quote', () => {
  it.each([
    ['plain', '"plain"'],
    ['a "b"\n', '"a \\"b\\"\\n"'],
    ['\u007f', '"\\u007f"'],
    ['\u009b31m', '"\\u009b31m"'],
    ['\u202egnp.exe', '"\\u202egnp.exe"'],
    ['x'.repeat(65), `"${'x'.repeat(64)}…"`],
  ])('shows %j as %s', (text, shown) => {
    expect(quote(text)).toBe(shown)
  })

  it('gives one line without control characters that reads as the text, whatever that is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 32 }), (text) => {
        expect(quote(text)).not.toMatch(/[\p{Cc}\u2028\u2029]/u)
        expect(JSON.parse(quote(text))).toBe(text)
      }),
      { numRuns: 500 },
    )
  })
})

it.each<[string[], string]>([
  [[], ''],
  [['a'], 'a'],
  [['a', 'b', 'c'], 'a, b and c'],
])('listInWords %j', (items, text) => {
  expect(listInWords(items)).toBe(text)
})
