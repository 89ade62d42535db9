import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyTemplatePatch,
  changedAttributes,
  templatePatchBody,
} from '../../../functions/api/clustertemplates/change-template.ts'
import { attributesOf, type TemplateAttributes } from '../../../functions/api/clustertemplates/template.schema.ts'
import { formatPointer, parsePatch, parsePointer } from '../../../functions/api/json-patch/patch-operation.ts'
import { readLiteral } from '../../../functions/api/json-patch/python-literal.ts'
import { applyToTextMap, type TextMap } from '../../../functions/api/json-patch/values.ts'
import { InvalidRequest } from '../../../functions/core/errors.ts'
import type { Json } from '../../../functions/core/values/json.ts'
import { sampleTemplate } from '../../support/api/templates.ts'

const json = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>
const before = attributesOf(sampleTemplate({ name: 'before' }))
const attributes = Object.keys(before)

/** Bodies that are near to patches, so that most operations get as far as they can. */
const path = fc.oneof(
  fc.constantFrom(...attributes).map((attribute) => `/${attribute}`),
  fc.string({ unit: 'binary' }).map((key) => `/labels/${key}`),
  fc.constantFrom('/uuid', '/links', '/driver', '/__proto__', '/constructor', '/labels/__proto__', '/labels/a/b', '/'),
  fc.string({ unit: 'binary' }),
)
const value = fc.oneof(
  json,
  fc.constantFrom<Json>('', 'true', 'False', 0, 1, 5, '5', -1, 1.5, 1e300, "{'a': 'b'}", '{"a": true}', '{', null),
)
const operation = fc.record(
  { op: fc.constantFrom<Json>('add', 'replace', 'remove', 'test', null), path, value },
  {
    requiredKeys: ['op', 'path'],
  },
) as fc.Arbitrary<Json>
const body = fc.oneof(
  { weight: 6, arbitrary: fc.array(operation, { maxLength: 4 }) as fc.Arbitrary<Json> },
  { weight: 2, arbitrary: fc.dictionary(fc.constantFrom(...attributes), value) as fc.Arbitrary<Json> },
  { weight: 1, arbitrary: json },
)

/** What a call gives, or undefined when it was refused; any other error fails the test. */
const unlessRefused = <T>(call: () => T): T | undefined => {
  try {
    return call()
  } catch (error) {
    if (error instanceof InvalidRequest) return undefined
    throw error
  }
}

const patched = (patch: Json): TemplateAttributes => applyTemplatePatch(before, templatePatchBody.parse(patch))

describe('a patch of any shape', () => {
  it('throws nothing but InvalidRequest, and leaves what it was given', () => {
    const copy = structuredClone(before)
    let accepted = 0
    fc.assert(
      fc.property(body, (patch) => {
        const after = unlessRefused(() => patched(patch))
        if (after === undefined) return
        accepted += 1
        expect(Object.keys(after).sort()).toEqual([...attributes].sort())
        for (const text of Object.values(after.labels ?? {})) expect(text).toBeTypeOf('string')
      }),
      { numRuns: 500 },
    )
    expect(before).toEqual(copy)
    expect(accepted).toBeGreaterThan(20)
  })

  it('says in a sentence what is wrong, without control characters', () => {
    fc.assert(
      fc.property(body, (patch) => {
        try {
          patched(patch)
        } catch (error) {
          expect((error as Error).message).toMatch(/^[^\p{Cc}]+\.$/u)
        }
      }),
    )
  })

  it('is the same whether it is a plain object or a list of replacements', () => {
    const values = fc.dictionary(
      fc.constantFrom(...attributes),
      value.filter((one) => one !== null),
    )
    fc.assert(
      fc.property(values, (given) => {
        const list = Object.entries(given).map(([key, one]): Json => ({ op: 'replace', path: `/${key}`, value: one }))
        expect(unlessRefused(() => patched({ ...given }))).toEqual(unlessRefused(() => patched(list)))
      }),
    )
  })
})

describe('labels and other maps of texts', () => {
  const key = fc.string({ minLength: 1, unit: 'grapheme' }).filter((text) => text !== '__proto__')
  const text = fc.string({ unit: 'grapheme' })
  const map = fc.dictionary(key, text, { noNullPrototype: true })
  const apply = (to: TextMap | null, ...operations: Json[]): TextMap | null =>
    parsePatch(operations, { example: '' }).reduce(applyToTextMap, to)

  it('add and then remove of a new key is nothing', () => {
    fc.assert(
      fc.property(map, key, text, (given, name, added) => {
        fc.pre(!Object.hasOwn(given, name))
        const at = formatPointer(['labels', name])
        const copy = { ...given }
        expect(apply(given, { op: 'add', path: at, value: added }, { op: 'remove', path: at })).toEqual(copy)
        expect(given).toEqual(copy)
      }),
    )
  })

  it('add sets or overwrites; the others need the key', () => {
    fc.assert(
      fc.property(map, key, text, (given, name, added) => {
        const at = formatPointer(['labels', name])
        expect(apply(given, { op: 'add', path: at, value: added })).toEqual({ ...given, [name]: added })
        for (const op of ['replace', 'remove']) {
          const after = unlessRefused(() => apply(given, { op, path: at, value: added }))
          expect(after === undefined).toBe(!Object.hasOwn(given, name))
        }
      }),
    )
  })

  it('replace takes an object, or the same as text', () => {
    fc.assert(
      fc.property(map, map, (given, wanted) => {
        const replace = (one: Json): TextMap | null => apply(given, { op: 'replace', path: '/labels', value: one })
        expect(replace(wanted)).toEqual(wanted)
        expect(replace(JSON.stringify(wanted))).toEqual(wanted)
        expect(replace(pythonRepr(wanted))).toEqual(wanted)
      }),
    )
  })

  it.each<[string, Json, string]>([
    ['a number', 5, '5'],
    ['a boolean', true, 'True'],
    ['text', 'x', 'x'],
  ])('take %s as text', (_what, given, expected) => {
    expect(apply({}, { op: 'add', path: '/labels/k', value: given })).toEqual({ k: expected })
  })

  it('begin anew after they were removed', () => {
    const set = { op: 'add', path: '/labels/k', value: 'v' }
    expect(apply({ a: 'b' }, { op: 'remove', path: '/labels' })).toBeNull()
    expect(apply({ a: 'b' }, { op: 'remove', path: '/labels' }, set)).toEqual({ k: 'v' })
    expect(apply(null, { op: 'add', path: '/labels', value: { a: 'b' } })).toEqual({ a: 'b' })
  })

  it.each<[Json, string]>([
    [{ op: 'add', path: '/labels', value: {} }, 'is set already'],
    [{ op: 'replace', path: '/labels', value: ['a'] }, 'a dictionary of texts'],
    [{ op: 'replace', path: '/labels', value: 'a=b' }, 'a dictionary of texts'],
    [{ op: 'replace', path: '/labels', value: { a: null } }, 'a dictionary of texts'],
    [{ op: 'replace', path: '/labels', value: { a: { b: 'c' } } }, 'a dictionary of texts'],
    [{ op: 'add', path: '/labels/a', value: ['b'] }, 'text, a number or a boolean'],
    [{ op: 'add', path: '/labels/a/b', value: 'c' }, '"/" in a key as "~1"'],
    [{ op: 'add', path: '/labels/__proto__', value: 'c' }, 'There can be no'],
    [{ op: 'remove', path: '/labels/toString' }, 'has no such key'],
  ])('%j is refused', (one, expected) => {
    expect(() => apply({ x: 'y' }, one)).toThrow(expected)
  })
})

/** As Python's `repr` chooses quotes and escapes. */
const pythonRepr = (value: unknown): string => {
  if (typeof value === 'string') {
    const quote = value.includes("'") && !value.includes('"') ? '"' : "'"
    const escaped = [...value].map((character) => pythonEscape(character, quote)).join('')
    return `${quote}${escaped}${quote}`
  }
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(pythonRepr).join(', ')}]`
  if (typeof value !== 'object') return String(value)
  const pairs = Object.entries(value).map(([key, inner]) => `${pythonRepr(key)}: ${pythonRepr(inner)}`)
  return `{${pairs.join(', ')}}`
}

const NAMED_ESCAPES: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

const hex = (code: number, width: number): string => code.toString(16).padStart(width, '0')

/** What is not printable is escaped: as `\x`, `\u` or `\U`, by size. */
const pythonEscape = (character: string, quote: string): string => {
  if (character === quote) return `\\${quote}`
  const named = NAMED_ESCAPES[character]
  if (named !== undefined) return named
  const code = character.codePointAt(0) ?? 0
  if (!/[\p{C}\p{Z}]/u.test(character) || character === ' ') return character
  if (code < 0x100) return `\\x${hex(code, 2)}`
  return code < 0x10000 ? `\\u${hex(code, 4)}` : `\\U${hex(code, 8)}`
}

describe('literals as Python writes them', () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.string({ unit: 'binary' }),
      fc.boolean(),
      fc.constant(null),
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(
        fc.string({ unit: 'binary' }).filter((key) => key !== '__proto__'),
        tie('tree'),
        {
          maxKeys: 3,
          noNullPrototype: true,
        },
      ),
    ),
  }))

  it('come back: quotes, escapes, unicode and nesting', () => {
    fc.assert(
      fc.property(tree, (given) => {
        expect(JSON.stringify(readLiteral(pythonRepr(given)))).toBe(JSON.stringify(given))
      }),
      { numRuns: 300 },
    )
  })

  it('never break the reader, whatever they are', () => {
    const text = fc.stringMatching(/^[{}[\]'",:\\ux0-9aTFN .eE+-]{0,40}$/)
    fc.assert(
      fc.property(text, (given) => {
        const read = readLiteral(given)
        if (read !== undefined) expect(() => JSON.stringify(read)).not.toThrow()
      }),
      { numRuns: 500 },
    )
  })

  it.each<[string, Json]>([
    ["'\\U0001f600'", '😀'],
    ["'\\\\x41'", '\\x41'],
    ["{'a': 'it\\'s', \"b\": 'say \"hi\"'}", { a: "it's", b: 'say "hi"' }],
    ["'\\q'", '\\q'],
    ["'\\a\\b\\f\\v\\0'", '\u0007\b\f\u000b\0'],
    ["'\\101\\x41'", 'AA'],
    ['"a\\/b"', 'a/b'],
  ])('%s', (text, expected) => {
    expect(JSON.stringify(readLiteral(text))).toBe(JSON.stringify(expected))
  })

  it.each(["'\\x4'", "'\\u12'", "'\\U00110000'", "'\\U0001'", "'\\N{DASH}'"])('%s is none', (text) => {
    expect(readLiteral(text)).toBeUndefined()
  })
})

describe('pointers', () => {
  it('are read as they were written, or refused', () => {
    fc.assert(
      fc.property(path, (given) => {
        const segments = unlessRefused(() => parsePointer(given))
        if (segments !== undefined) expect(formatPointer(segments)).toBe(given)
      }),
    )
  })
})

describe('changedAttributes', () => {
  it('has nothing when nothing changes', () => {
    expect(changedAttributes(before, { ...before, labels: null })).toEqual([])
  })

  it('has what a patch really changes', () => {
    const after = patched([
      { op: 'replace', path: '/name', value: 'before' },
      { op: 'replace', path: '/image_id', value: 'other' },
      { op: 'add', path: '/labels/k', value: 'v' },
    ])
    expect(changedAttributes(before, after)).toEqual(['image_id', 'labels'])
  })
})
