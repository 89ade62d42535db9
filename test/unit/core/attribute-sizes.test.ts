import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { groupsInCommit } from '../../../functions/core/cluster/node-group-writes.ts'
import { bytesMaxOf, isWithinSize, jsonBytes, withinSize } from '../../../functions/core/values/attribute-sizes.ts'
import { isBlank, isShownAsIs, SHOWN_PATTERN } from '../../../functions/core/values/wording.ts'
import { sampleNodeGroup } from '../../support/store/samples.ts'

describe('withinSize', () => {
  it('leaves what may be stored, and keeps the smallest entries of what may not', () => {
    const small = { a: '1', b: '2' }
    expect(withinSize('labels', small)).toBe(small)
    expect(withinSize('labels', { big: 'x'.repeat(400_000), ...small })).toEqual(small)
  })

  it('gives a part of the map that may be stored, whatever is in it', () => {
    const map = fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary', maxLength: 4000 }))
    fc.assert(
      fc.property(map, (labels) => {
        const kept = withinSize('node_labels', labels)
        expect(isWithinSize('node_labels', kept)).toBe(true)
        expect(labels).toMatchObject(kept)
      }),
      { numRuns: 100 },
    )
  })
})

describe('groupsInCommit', () => {
  const groups = (count: number, bytes: number) =>
    Array.from({ length: count }, () => sampleNodeGroup({ labels: { a: 'x'.repeat(bytes) } }))

  it.each([
    ['all that are as large as allowed', 60, bytesMaxOf('labels'), 60],
    ['60 at most', 70, 10, 60],
    ['as many as have room', 40, 300_000, 10],
    ['one that is larger than allowed', 2, 4_000_000, 1],
    ['none of none', 0, 0, 0],
  ])('takes %s', (_, count, bytes, expected) => {
    const given = groups(count, bytes)
    expect(groupsInCommit(given)).toEqual(given.slice(0, expected))
  })
})

describe('shown text', () => {
  it.each<[text: string, shown: boolean, blank: boolean]>([
    ['pool', true, false],
    ['Überraschung 東京 👩‍👩‍👧', true, false],
    [' ', true, true],
    ['\u00a0\u2003', true, true],
    ['\u200b', true, true],
    ['\u202e', false, true],
    ['a\u2066b', false, false],
    ['a\nb', false, false],
    ['', true, true],
  ])('%j: shown as it is %j, blank %j', (text, shown, blank) => {
    expect([isShownAsIs(text), isBlank(text)]).toEqual([shown, blank])
  })

  it('is the same by the pattern of the document', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3 }), (text) => {
        expect(new RegExp(SHOWN_PATTERN, 'u').test(text)).toBe(isShownAsIs(text))
      }),
      { numRuns: 2000 },
    )
    expect(new RegExp(SHOWN_PATTERN, 'u').test('a\u061c')).toBe(false)
  })
})

it('jsonBytes counts bytes, not characters', () => {
  expect(jsonBytes({ a: '€' })).toBe(11)
})
