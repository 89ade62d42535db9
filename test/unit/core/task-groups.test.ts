import { describe, expect, it } from 'vitest'
import type { ClusterTask } from '../../../functions/core/cluster/cluster-task.ts'
import type { NodeGroup } from '../../../functions/core/cluster/node-group.ts'
import {
  created,
  failed,
  groupsAfter,
  groupsDuring,
  isAbout,
  succeeded,
} from '../../../functions/core/cluster/task-groups.ts'
import { newGroup } from '../../support/flows/node-groups.ts'

const cluster = { id: 'c', projectId: 'blue', createdAt: '2026-11-27T10:00:00.000Z' }
const group = (id: string, changes: Partial<NodeGroup> = {}): NodeGroup =>
  newGroup(cluster, { id, name: id, status: 'UPDATE_IN_PROGRESS', reachedCount: 1, ...changes })

const resize = (nodeGroupId: string, nodeCount: number): ClusterTask => ({
  kind: 'resize',
  nodeGroupId,
  nodeCount,
  nodesToRemove: [],
})
const upgrade = (nodeGroupId: string | null): ClusterTask => ({
  kind: 'upgrade',
  templateId: 't',
  templateProjectId: 'blue',
  nodeGroupId,
  maxBatchSize: 1,
})
const queue = (...tasks: ClusterTask[]) => tasks.map((task, index) => ({ id: `${index}`, task, requestedAt: '' }))
const counts = (groups: readonly NodeGroup[]) => groups.map(({ id, nodeCount }) => [id, nodeCount])

describe('isAbout', () => {
  it('takes an upgrade of the whole cluster as one of its default groups', () => {
    expect(isAbout(upgrade(null), group('a', { isDefault: true }))).toBe(true)
    expect(isAbout(upgrade(null), group('a'))).toBe(false)
    expect(isAbout(upgrade('a'), group('a'))).toBe(true)
    expect(isAbout({ kind: 'rotate-authority' }, group('a', { isDefault: true }))).toBe(false)
  })
})

describe('succeeded', () => {
  it('leaves a group whose next change waits in progress, and knows what was reached', () => {
    const groups = [group('a', { nodeCount: 7 }), group('b')]
    expect(succeeded(resize('a', 3), groups, queue(resize('a', 7)))).toEqual({
      changed: [{ group: groups[0], change: { reachedCount: 3 } }],
      removed: [],
    })
  })

  it.each([
    ['a new one that was reported nothing of', 0, 7],
    ['a new one that the driver told of', 2, 2],
  ])('takes %s to have its count although the next change waits', (_, reachedCount, expected) => {
    const it = group('a', { nodeCount: 7, reachedCount })
    const { changed } = succeeded({ kind: 'node-group-create', nodeGroupId: 'a' }, [it], queue(resize('a', 7)))
    expect(changed[0]?.change).toEqual({ reachedCount: expected })
  })

  it('removes the group of a deletion, whatever waits', () => {
    const groups = [group('a'), group('b')]
    const outcome = succeeded({ kind: 'node-group-delete', nodeGroupId: 'a' }, groups, queue(resize('a', 7)))
    expect(groupsAfter(groups, outcome)).toEqual([groups[1]])
  })
})

describe('failed', () => {
  it('touches no group whose next change waits, also not when that is an upgrade of the cluster', () => {
    const it = group('a', { isDefault: true, nodeCount: 7 })
    expect(failed(resize('a', 3), [it], queue(resize('a', 7)), 'why').changed).toEqual([])
    expect(failed(resize('a', 3), [it], queue(upgrade(null)), 'why').changed).toEqual([])
  })
})

describe('the change that failed', () => {
  const failedWith = (task: ClusterTask, before: Partial<NodeGroup> = {}) =>
    failed(task, [group('a', before)], [], 'why').changed[0]?.change

  it('is noted', () => {
    expect(failedWith(resize('a', 3))?.failedTask).toBe('resize')
    expect(failedWith(upgrade('a'), { failedTask: 'resize' })?.failedTask).toBe('upgrade')
  })

  it('is still the upgrade after which others fail: nothing else repairs that', () => {
    expect(failedWith(resize('a', 3), { failedTask: 'upgrade' })?.failedTask).toBe('upgrade')
  })

  it.each<[string, ClusterTask]>([
    ['a resize', resize('a', 3)],
    ['new limits', { kind: 'node-group-update', nodeGroupId: 'a', nodeCount: null }],
  ])('is still the upgrade after %s that succeeds, with why it failed', (_, task) => {
    const left = group('a', { failedTask: 'upgrade', statusReason: 'No such image.', nodeCount: 3 })
    const { changed } = succeeded(task, [left], [])
    expect(changed[0]?.change).toEqual({ status: 'UPDATE_FAILED', statusReason: 'No such image.', reachedCount: 3 })
    const [untold] = succeeded(task, [{ ...left, statusReason: null }], []).changed
    expect(untold?.change.statusReason).toBe('An upgrade failed, and only another one repairs it.')
  })

  it('is no more when another upgrade, or another change than an upgrade, succeeds', () => {
    const left = group('a', { failedTask: 'upgrade', statusReason: 'No such image.' })
    const repaired = { status: 'UPDATE_COMPLETE', statusReason: null, failedTask: null }
    expect(succeeded(upgrade('a'), [left], []).changed[0]?.change).toMatchObject(repaired)
    expect(succeeded(resize('a', 1), [{ ...left, failedTask: 'resize' }], []).changed[0]?.change).toMatchObject(
      repaired,
    )
  })

  it('is noted on a group whose next change waits when it is an upgrade, which that change does not repair', () => {
    const waiting = group('a', { isDefault: true, nodeCount: 7 })
    const [outcome] = failed(upgrade(null), [waiting], queue(resize('a', 7)), 'No such image.').changed
    expect(outcome?.change).toEqual({ failedTask: 'upgrade', statusReason: 'No such image.' })
    const [later] = failed(resize('a', 7), [{ ...waiting, ...outcome?.change }], [], 'No room.').changed
    expect(later?.change).toMatchObject({ failedTask: 'upgrade', status: 'UPDATE_FAILED' })
  })

  it('is the deletion of a group that an upgrade had left: nothing but deletion is left to it', () => {
    const deletion: ClusterTask = { kind: 'node-group-delete', nodeGroupId: 'a' }
    expect(failedWith(deletion, { failedTask: 'upgrade' })?.failedTask).toBe('node-group-delete')
  })
})

describe('created', () => {
  it('leaves alone what waits for its own turn', () => {
    const groups = [group('a', { nodeCount: 2 }), group('b')]
    const { changed } = created(groups, queue({ kind: 'node-group-create', nodeGroupId: 'b' }), null)
    expect(changed).toEqual([
      { group: groups[0], change: { status: 'CREATE_COMPLETE', statusReason: null, reachedCount: 2 } },
    ])
  })
})

describe('groupsDuring', () => {
  const groups = [
    group('a', { nodeCount: 7 }),
    group('b', { nodeCount: 9, reachedCount: 4 }),
    group('c', { nodeCount: 3 }),
  ]
  const waiting = queue(resize('a', 7), resize('b', 9), { kind: 'node-group-create', nodeGroupId: 'c' })

  it('shows the count of the task, the counts that others have reached, and no group that is made later', () => {
    expect(counts(groupsDuring(resize('a', 5), groups, { queue: waiting, before: false }))).toEqual([
      ['a', 5],
      ['b', 4],
    ])
  })

  it('shows the group as it was while its task is undone', () => {
    expect(counts(groupsDuring(resize('a', 5), groups, { queue: [], before: true }))).toEqual([
      ['a', 1],
      ['b', 9],
      ['c', 3],
    ])
  })

  it('shows a count that the driver corrected when nothing waits', () => {
    expect(counts(groupsDuring(resize('a', 5), groups, { queue: [], before: false }))[0]).toEqual(['a', 7])
  })

  it('shows all as they are outside of tasks', () => {
    expect(groupsDuring(null, groups, { queue: waiting, before: false })).toEqual(groups)
  })
})
