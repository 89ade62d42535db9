import { describe, expect, it } from 'vitest'
import { matchesLabels, parseLabelSelector } from '../../../functions/core/selector/label-selector.ts'
import { isInRange, parseVersionRange } from '../../../functions/core/selector/version-range.ts'

const matches = (text: string, labels: Record<string, string>): boolean =>
  matchesLabels(parseLabelSelector(text), labels)

/** Cases of `TestSelectorMatches`, `TestSelectorParse` and the like in Kubernetes' apimachinery. */
describe('a label selector', () => {
  it.each<[string, Record<string, string>]>([
    ['', { x: 'y' }],
    ['x=y', { x: 'y' }],
    ['x==y', { x: 'y' }],
    ['x=y,z=w', { x: 'y', z: 'w' }],
    ['x!=y,z!=w', { x: 'z', z: 'a' }],
    ['x!=y', {}],
    ['notin=in', { notin: 'in' }],
    ['in in (in,notin)', { in: 'notin' }],
    ['x', { x: 'z' }],
    ['x', { x: '' }],
    ['!x', { y: 'z' }],
    ['! x', {}],
    ['x=', { x: '' }],
    ['x= ', { x: '' }],
    ['x=,z= ', { x: '', z: '' }],
    ['x in (a,b)', { x: 'b' }],
    ['x in (a, b )', { x: 'b' }],
    ['x in(a)', { x: 'a' }],
    ['x in (,a)', { x: '' }],
    ['x in (a,)', { x: '' }],
    ['x in (a,,b)', { x: '' }],
    ['x notin (a,b)', { x: 'c' }],
    ['x notin (a,b)', {}],
    ['example.com/tier in (edge), env = prod', { 'example.com/tier': 'edge', env: 'prod' }],
    ['x', { x: 'y', __proto__: 'z' } as Record<string, string>],
  ])('%j holds for %j', (text, labels) => {
    expect(matches(text, labels)).toBe(true)
  })

  it.each<[string, Record<string, string>]>([
    ['x=z', {}],
    ['x=y', { x: 'z' }],
    ['x=y,z=w', { x: 'w', z: 'w' }],
    ['x!=y,z!=w', { x: 'z', z: 'w' }],
    ['x', {}],
    ['!x', { x: 'z' }],
    ['x in (a)', { x: 'b' }],
    ['x in (a)', {}],
    ['x notin (a)', { x: 'a' }],
    ['x=', {}],
    ['constructor', {}],
  ])('%j does not hold for %j', (text, labels) => {
    expect(matches(text, labels)).toBe(false)
  })

  it.each([
    'x=a||y=b',
    'x==a==b',
    '!x=a',
    'x<a',
    'x>1',
    ',',
    'x,',
    ',x',
    'x,,y',
    'x in ()',
    'x in (',
    'x in a',
    'x in (a',
    'x in (a b)',
    'x notin',
    'x y',
    '(x)',
    '!',
    '!!x',
    'x=a b',
    '!x in (a)',
    'x in (a)(b)',
    '=a',
    'x===a',
    'x=!a',
    '-x=a',
    'x=-a',
    'a/b/c=d',
    `${'x'.repeat(64)}`,
    `x=${'y'.repeat(64)}`,
  ])('%j is refused with a sentence', (text) => {
    expect(() => parseLabelSelector(text)).toThrow(/^The label selector .* can't be read: .* "env=prod/)
  })
})

describe('a range of versions', () => {
  it.each([
    ['>=1.31', 'v1.31.0', true],
    ['>=1.31 <1.34', 'v1.33.9', true],
    ['>= 1.31 < 1.34', 'v1.34.0', false],
    ['1.31', 'v1.31.7', true],
    ['=v1.31.7', 'v1.31.7', true],
    ['<=1.31', 'v1.31.9', true],
    ['>1.31', 'v1.31.9', false],
    ['>1.31.8', 'v1.31.9', true],
    ['>=1.31.2', 'v1.31.2-gke.1', true],
    ['>=1.9', 'v1.10.0', true],
    ['<2', 'v1.40.0', true],
    ['>=1.31', null, false],
    ['>=1.31', 'unknown', false],
  ])('%j and %j: %j', (range, version, isIn) => {
    expect(isInRange(parseVersionRange(range), version)).toBe(isIn)
  })

  it.each(['', '~1.31', '1.31 || 1.32', '>=', '1.31.x', '>=1.31,<1.34', '1.2.3.4'])('%j is refused', (range) => {
    expect(() => parseVersionRange(range)).toThrow(/can't be read at/)
  })
})
