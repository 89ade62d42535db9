import { describe, expect, it } from 'vitest'
import {
  countFault,
  limitsFault,
  nodeLabelFaults,
  taintFaults,
  taintsOf,
  withinLimits,
} from '../../../functions/core/cluster/node-rules.ts'

describe('nodeLabelFaults', () => {
  it.each([
    ['pool', 'gpu'],
    ['a', ''],
    ['A_b.c-9', 'A_b.c-9'],
    ['example.com/pool', 'x'],
    [`${'a'.repeat(63)}`, 'x'.repeat(63)],
    ['kubernetes.io/hostname', 'x'],
    ['kubernetes.io/os', 'linux'],
    ['kubernetes.io/arch', 'arm64'],
    ['beta.kubernetes.io/os', 'linux'],
    ['beta.kubernetes.io/arch', 'arm64'],
    ['beta.kubernetes.io/instance-type', 'm1'],
    ['node.kubernetes.io/instance-type', 'm1'],
    ['topology.kubernetes.io/zone', 'a'],
    ['topology.kubernetes.io/region', 'b'],
    ['failure-domain.beta.kubernetes.io/zone', 'a'],
    ['failure-domain.beta.kubernetes.io/region', 'b'],
    ['kubelet.kubernetes.io/mine', 'x'],
    ['my.node.kubernetes.io/mine', 'x'],
    ['notkubernetes.io/x', 'x'],
  ])('has nothing against %s=%s', (key, value) => {
    expect(nodeLabelFaults({ [key]: value })).toEqual([])
  })

  it.each([
    ['kubernetes.io/role', 'reserved'],
    ['node-role.kubernetes.io/worker', 'reserved'],
    ['node-restriction.kubernetes.io/x', 'reserved'],
    ['topology.kubernetes.io/rack', 'reserved'],
    ['x.k8s.io/y', 'reserved'],
    ['k8s.io/y', 'reserved'],
    ['', 'must be a name'],
    ['-a', 'must be a name'],
    ['a b', 'must be a name'],
    ['a/b/c', 'must be a name'],
    ['/a', 'must be a name'],
    ['a/', 'must be a name'],
    ['Upper.case/a', 'must be a name'],
    ['under_score.io/a', 'must be a name'],
    ['a'.repeat(64), 'must be a name'],
    [`${'a.'.repeat(127)}a/x`, 'must be a name'],
    ['ä', 'must be a name'],
    ['a\n', 'must be a name'],
  ])('refuses the key %j', (key, why) => {
    expect(nodeLabelFaults({ [key]: 'x' })).toEqual([expect.stringContaining(why)])
  })

  it.each(['-', 'a b', 'a.', 'x'.repeat(64), 'a/b', 'a\n', 'ü'])('refuses the value %j', (value) => {
    expect(nodeLabelFaults({ pool: value })).toEqual([expect.stringContaining('The value of "pool"')])
  })
})

describe('taintFaults', () => {
  it.each([
    [{ key: 'gpu', effect: 'NoSchedule' }],
    [{ key: 'example.com/gpu', value: 'yes', effect: 'PreferNoSchedule' }],
    [{ key: 'gpu', value: '', effect: 'NoExecute' }],
  ])('has nothing against %j', (taint) => {
    expect(taintFaults([taint])).toEqual([])
    expect(taintsOf([taint])).toEqual([taint])
  })

  it.each([
    [{ effect: 'NoSchedule' }, 'The key'],
    [{ key: 'a b', effect: 'NoSchedule' }, 'The key'],
    [{ key: 'gpu' }, 'The effect'],
    [{ key: 'gpu', effect: 'noschedule' }, 'The effect'],
    [{ key: 'gpu', value: 'a b', effect: 'NoSchedule' }, 'The value'],
  ])('refuses %j', (taint, why) => {
    expect(taintFaults([taint])).toEqual([expect.stringContaining(`${why} of entry 1`)])
  })

  it('refuses the same key and effect twice, and allows two effects of one key', () => {
    const taint = { key: 'gpu', effect: 'NoSchedule' }
    expect(taintFaults([taint, { ...taint, effect: 'NoExecute' }])).toEqual([])
    expect(taintFaults([taint, { ...taint, value: 'x' }])).toEqual([expect.stringContaining('entry 2')])
  })
})

describe('limits', () => {
  const limits = (minNodeCount: number, maxNodeCount: number | null) => ({ minNodeCount, maxNodeCount })

  it.each([
    [limits(0, null), 7, 7],
    [limits(0, 0), 7, 7],
    [limits(9, 0), 7, 9],
    [limits(2, 5), 7, 5],
    [limits(2, 5), 1, 2],
    [limits(2, 5), 3, 3],
    [limits(5, 5), 0, 5],
  ])('%j bring %i to %i', (given, count, expected) => {
    expect(limitsFault(given)).toBeNull()
    expect(withinLimits(count, given)).toBe(expected)
    expect(countFault(count, given) === null).toBe(count === expected)
    expect(countFault(expected, given)).toBeNull()
  })

  it('have a fault when the least is more than the most', () => {
    expect(limitsFault(limits(6, 5))).toContain('"min_node_count" is 6 and "max_node_count" is 5')
  })
})
