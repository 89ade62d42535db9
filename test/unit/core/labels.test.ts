import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { followLabels, type Labels, labelDiff, mergeLabels } from '../../../functions/core/values/labels.ts'

/** Few keys and values, so that they meet; with those that an object has by birth. */
const labels = fc.dictionary(
  fc.constantFrom('a', 'b', 'c', 'd', 'constructor', 'toString', 'k8s.io/x'),
  fc.constantFrom('', '1', '2', 'True'),
  { noNullPrototype: true },
)

const has = (map: Labels, key: string): boolean => Object.hasOwn(map, key)

describe('mergeLabels', () => {
  it.each<[string, Labels | undefined, boolean | undefined, Labels]>([
    ['nothing is given', undefined, undefined, { a: '1', b: '2' }],
    ['nothing is given, with merge', undefined, true, { a: '1', b: '2' }],
    ['empty labels are given', {}, false, { a: '1', b: '2' }],
    ['labels are given', { b: '3', c: '4' }, undefined, { b: '3', c: '4' }],
    ['labels are given, without merge', { b: '3', c: '4' }, false, { b: '3', c: '4' }],
    ['labels are given, with merge', { b: '3', c: '4' }, true, { a: '1', b: '3', c: '4' }],
  ])('when %s', (_, given, merge, expected) => {
    expect(mergeLabels({ a: '1', b: '2' }, { labels: given, merge })).toEqual(expected)
  })

  it("has the given labels over the parent's, and leaves both as they were", () =>
    fc.assert(
      fc.property(labels, labels, fc.boolean(), (parent, given, merge) => {
        const before = JSON.stringify([parent, given])
        const merged = mergeLabels(parent, { labels: given, merge })
        expect(merged).toMatchObject(given)
        expect(merged).not.toBe(parent)
        expect(merged).not.toBe(given)
        merged.new = 'x'
        expect(JSON.stringify([parent, given])).toBe(before)
      }),
    ))
})

describe('followLabels', () => {
  type Followed = { own: Labels; before: Labels; after: Labels; expected: Labels }
  it.each<[string, Followed]>([
    [
      'a copy follows',
      { own: { tag: '1' }, before: { tag: '1' }, after: { tag: '2', new: 'n' }, expected: { tag: '2', new: 'n' } },
    ],
    ['of none too', { own: {}, before: {}, after: { tag: '2' }, expected: { tag: '2' } }],
    [
      'what was given stays',
      {
        own: { tag: 'own', mine: 'm' },
        before: { tag: '1' },
        after: { tag: '2' },
        expected: { tag: 'own', mine: 'm' },
      },
    ],
    [
      'beside what was merged',
      {
        own: { a: '1', mine: 'm' },
        before: { a: '1' },
        after: { a: '2', b: '3' },
        expected: { a: '2', b: '3', mine: 'm' },
      },
    ],
    [
      'what is gone goes',
      { own: { a: '1', b: '1' }, before: { a: '1', b: '1' }, after: { a: '2' }, expected: { a: '2' } },
    ],
    [
      'what was replaced takes none',
      { own: { mine: 'm' }, before: { a: '1' }, after: { a: '2', b: '3' }, expected: { mine: 'm' } },
    ],
    [
      'nor what was given where there was none',
      { own: { mine: 'm' }, before: {}, after: { a: '2' }, expected: { mine: 'm' } },
    ],
  ])('%s', (_what, { own, before, after, expected }) => expect(followLabels(own, before, after)).toEqual(expected))

  it('shows nothing as overridden or added that was not before, and changes nothing when the parent stays', () =>
    fc.assert(
      fc.property(labels, labels, labels, (own, before, after) => {
        const was = labelDiff(own, before)
        const given = new Set([...Object.keys(was.overridden), ...Object.keys(was.added)])
        const { overridden, added } = labelDiff(followLabels(own, before, after), after)
        expect([...Object.keys(overridden), ...Object.keys(added)].every((key) => given.has(key))).toBe(true)
        expect(followLabels(own, before, before)).toEqual(own)
      }),
    ))
})

describe('labelDiff', () => {
  it("has the parent's value of what differs", () => {
    expect(labelDiff({ same: '1', other: '2', mine: '3' }, { same: '1', other: '9', gone: '4' })).toEqual({
      overridden: { other: '9' },
      added: { mine: '3' },
      skipped: { gone: '4' },
    })
  })

  it("gives the parent's labels back from the labels and the three maps", () =>
    fc.assert(
      fc.property(labels, labels, (own, parent) => {
        const { overridden, added, skipped } = labelDiff(own, parent)
        const kept = Object.fromEntries(Object.entries(own).filter(([key]) => !has(added, key)))
        expect({ ...kept, ...overridden, ...skipped }).toEqual(parent)
      }),
    ))

  it('has each key in one map at most, and none when all is the same', () =>
    fc.assert(
      fc.property(labels, labels, (own, parent) => {
        const { overridden, added, skipped } = labelDiff(own, parent)
        const keys = [overridden, added, skipped].flatMap(Object.keys)
        expect(new Set(keys).size).toBe(keys.length)
        expect(keys.every((key) => own[key] !== parent[key] || has(own, key) !== has(parent, key))).toBe(true)
        expect(labelDiff(own, { ...own })).toEqual({ overridden: {}, added: {}, skipped: {} })
      }),
    ))

  it('overrides and adds nothing but what was given to a merge, and skips nothing', () =>
    fc.assert(
      fc.property(labels, labels, (parent, given) => {
        const { overridden, added, skipped } = labelDiff(mergeLabels(parent, { labels: given, merge: true }), parent)
        expect(skipped).toEqual({})
        expect([...Object.keys(overridden), ...Object.keys(added)].every((key) => has(given, key))).toBe(true)
      }),
    ))
})
