import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyProperties } from '../../../functions/api/federations/federation.schema.ts'
import { formatPointer, parsePatch, parsePointer } from '../../../functions/api/json-patch/patch-operation.ts'
import { readLiteral } from '../../../functions/api/json-patch/python-literal.ts'
import { InvalidRequest } from '../../../functions/core/errors.ts'
import type { Json } from '../../../functions/core/values/json.ts'

describe('pointers (RFC 6901)', () => {
  it('come back as they were written', () => {
    const segments = fc.array(fc.string({ minLength: 1, unit: 'grapheme' }), { minLength: 1 })
    fc.assert(
      fc.property(segments, (list) => {
        expect(parsePointer(formatPointer(list))).toEqual(list)
      }),
    )
  })

  it.each([
    ['/a~1b/c~0d', ['a/b', 'c~d']],
    ['/labels/a.b', ['labels', 'a.b']],
    ['/a~01', ['a~1']],
  ])('%s', (path, segments) => {
    expect(parsePointer(path)).toEqual(segments)
  })

  it.each(['', '/', 'a', '/a/', '/a//b', '/a~', '/a~2'])('%j is none', (path) => {
    expect(() => parsePointer(path)).toThrow('JSON Pointer')
  })
})

/** Text as Python's repr writes it. */
const repr = (value: unknown): string => {
  if (typeof value === 'string')
    return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (Array.isArray(value)) return `[${value.map(repr).join(', ')}]`
  if (typeof value === 'object') {
    return `{${Object.entries(value)
      .map(([key, inner]) => `${repr(key)}: ${repr(inner)}`)
      .join(', ')}}`
  }
  return JSON.stringify(value)
}

describe('readLiteral', () => {
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof(
      { maxDepth: 4 },
      fc.string(),
      fc.boolean(),
      fc.constant(null),
      fc.integer(),
      fc.array(tie('tree'), { maxLength: 3 }),
      fc.dictionary(fc.string(), tie('tree'), { maxKeys: 3, noNullPrototype: true }),
    ),
  }))
  const plain = (value: unknown): unknown => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)))

  it('reads what Python writes', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(plain(readLiteral(repr(value)))).toEqual(plain(value))
      }),
    )
  })

  it('reads what JSON.stringify writes', () => {
    fc.assert(
      fc.property(tree, (value) => {
        expect(plain(readLiteral(JSON.stringify(value)))).toEqual(plain(value))
      }),
    )
  })

  it.each<[string, unknown]>([
    ["{'a': 'b',}", { a: 'b' }],
    ['{"a": \'it"s\'}', { a: 'it"s' }],
    ['{}', {}],
    [' [1, 2.5, -3e2] ', [1, 2.5, -300]],
    ["'\\x41\\u00e9'", 'Aé'],
  ])('%s', (text, value) => {
    expect(plain(readLiteral(text))).toEqual(value)
  })

  it.each(['', '{', '{a: 1}', "{'a'}", "{'a': 1 'b': 2}", '[1 2]', "{'a': f()}", "{'a': 'b'} x", '['.repeat(1000)])(
    '%s is none',
    (text) => {
      expect(readLiteral(text)).toBeUndefined()
    },
  )
})

describe('applyProperties', () => {
  const parse = (body: Json) => parsePatch(body, { example: '' })
  const key = fc.string({ minLength: 1 }).filter((text) => text !== '__proto__')
  const properties = fc.dictionary(key, fc.string(), { noNullPrototype: true })

  it('adds what remove then takes away again', () => {
    fc.assert(
      fc.property(properties, key, fc.string(), (before, name, value) => {
        fc.pre(!Object.hasOwn(before, name))
        const path = formatPointer(['properties', name])
        const operations = parse([
          { op: 'add', path, value },
          { op: 'remove', path },
        ])
        expect(applyProperties(before, operations)).toEqual(before)
      }),
    )
  })

  it('never changes what it was given', () => {
    fc.assert(
      fc.property(properties, key, (before, name) => {
        const copy = { ...before }
        applyProperties(before, parse([{ op: 'add', path: formatPointer(['properties', name]), value: 'x' }]))
        expect(before).toEqual(copy)
      }),
    )
  })
})

describe('a patch of openstacksdk by uuid or name', () => {
  const MARK = { op: 'move', from: '/uuid', path: '/id' }
  const parse = (body: Json) =>
    parsePatch(body, { example: '{}', acceptObject: true }).map(({ op, path, value }) => ({ op, path, value }))

  it('is read as replacing what it adds, since the client does not know what is there', () => {
    const body: Json = [
      { op: 'add', path: '/flavor_id', value: 'x' },
      MARK,
      { op: 'add', path: '/public', value: true },
    ]
    expect(parse(body)).toEqual([
      { op: 'replace', path: '/flavor_id', value: 'x' },
      { op: 'replace', path: '/public', value: true },
    ])
    expect(parse([MARK])).toEqual([])
  })

  it.each<[string, Json]>([
    ['another move', [{ op: 'move', from: '/name', path: '/id' }]],
    ['that move with more', [{ ...MARK, value: 1 }]],
  ])('is not mistaken for %s', (_, body) => {
    expect(() => parse(body)).toThrow(InvalidRequest)
  })

  it('is none where no plain object is taken either', () => {
    expect(() => parsePatch([MARK], { example: '{}' })).toThrow(InvalidRequest)
  })
})
