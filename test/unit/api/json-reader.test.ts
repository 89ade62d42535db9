import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readJson } from '../../../functions/api/body/read-body.ts'
import { InvalidRequest } from '../../../functions/core/errors.ts'

/** Objects without their missing prototype, to compare with JSON.parse. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('readJson', () => {
  it('reads whatever JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 8 }), fc.constantFrom(0, 1, '\t'), (value, indent) => {
        expect(plain(readJson(JSON.stringify(value, null, indent)))).toEqual(JSON.parse(JSON.stringify(value)))
      }),
    )
  })

  it('accepts exactly what JSON.parse accepts, keys given twice aside', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '"a"',
      '"\\u00e9"',
      '"\\x"',
      '1',
      '-0.5e-3',
      '01',
      'true',
      'nul',
      ' ',
      '\n',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const text = pieces.join('')
        const accepts = (parse: (text: string) => unknown): boolean => {
          try {
            parse(text)
            return true
          } catch (error) {
            return error instanceof InvalidRequest && error.message.includes('twice')
          }
        }
        expect(accepts(readJson)).toBe(accepts(JSON.parse))
      }),
      { numRuns: 2000 },
    )
  })

  it('keeps __proto__ as a key and changes no prototype', () => {
    const value = readJson('{"__proto__": {"polluted": 1}}') as object
    expect([Object.keys(value), ({} as { polluted?: number }).polluted]).toEqual([['__proto__'], undefined])
  })

  it('reads half a megabyte of text in one string', () => {
    expect(readJson(JSON.stringify('\n'.repeat(500_000)))).toHaveLength(500_000)
  })

  it.each([
    ['', 'a value is expected at line 1, column 1, but the body ends there'],
    ['{"a": 1,}', 'a key in double quotes is expected at line 1, column 9'],
    ['[1,\n  2,\n]', 'a value is expected at line 3, column 1'],
    ['{"a" 1}', '":" is expected at line 1, column 6'],
    ['{"a": "b', 'a text value is expected at line 1, column 7'],
    ["{'a': 1}", 'a key in double quotes is expected at line 1, column 2'],
    ['"a\nb"', 'text without raw control characters'],
    ['[1e999]', 'a number within range'],
    ['{"a": 1, "b": 2, "a": 3}', 'the key "a" twice'],
    ['{"a": 1, "\\u0061": 3}', 'the key "a" twice'],
    ['[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[1', 'deeper than 32'],
    ['{"a": "\\ud800"}', 'text whose surrogates come in pairs is expected at line 1, column 7'],
    ['{"\\udc00": 1}', 'text whose surrogates come in pairs'],
    ['{"a": 1 "b": 2}', '"}" is expected at line 1, column 9, but something else'],
    ['[1', '"]" is expected at line 1, column 3, but the body ends there'],
    ['{"a', 'a key in double quotes is expected at line 1, column 2'],
    ['"\\x"', 'with known escapes is expected at line 1, column 1'],
    ['[1] // why', 'the end of the body is expected at line 1, column 5'],
    ['/* why */ 1', 'a value is expected at line 1, column 1'],
    ['\u00a01', 'a value is expected at line 1, column 1'],
    ['1 2', 'the end of the body is expected at line 1, column 3'],
  ])('refuses %j', (text, message) => {
    expect(() => readJson(text)).toThrow(message)
  })

  it('repeats nothing of the text', () => {
    expect(() => readJson('{"token": secret-value}')).toThrow(/^(?!.*secret-value).*$/)
  })
})
