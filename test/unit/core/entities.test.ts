import { describe, expect, it } from 'vitest'
import { federationsOf } from '../../../functions/core/cluster/cluster.ts'
import { isMember, isProgressing, type MembershipState } from '../../../functions/core/membership/membership.ts'
import { isDriverId, isUuid, looksLikeUuid, shortId } from '../../../functions/core/values/ids.ts'
import { mergeObjectRefs, type ObjectRef } from '../../../functions/core/values/object-ref.ts'
import { type Condition, isConditionTrue, STATUSES, withCondition } from '../../../functions/core/values/status.ts'

const condition = (status: Condition['status'], changedAt: string): Condition => ({
  type: 'ControlPlaneReady',
  status,
  reason: 'Created',
  message: '',
  observedRevision: 1,
  changedAt,
})

describe('withCondition', () => {
  it('keeps changedAt while the status stays', () => {
    const [kept] = withCondition([condition('True', '2026-01-01T00:00:00Z')], condition('True', '2026-02-02T00:00:00Z'))
    expect(kept?.changedAt).toBe('2026-01-01T00:00:00Z')
  })

  it('moves changedAt with the status', () => {
    const list = withCondition([condition('True', '2026-01-01T00:00:00Z')], condition('False', '2026-02-02T00:00:00Z'))
    expect(list).toEqual([condition('False', '2026-02-02T00:00:00Z')])
    expect(isConditionTrue(list, 'ControlPlaneReady')).toBe(false)
  })
})

describe('mergeObjectRefs', () => {
  const ref = (name: string, uid: string): ObjectRef => ({
    where: 'host',
    apiVersion: 'v1',
    kind: 'Secret',
    namespace: 'a',
    name,
    uid,
  })

  it('lists each object once, with its newest uid', () => {
    expect(mergeObjectRefs([ref('x', '1'), ref('y', '2')], [ref('x', '3')])).toEqual([ref('x', '3'), ref('y', '2')])
  })
})

describe('ids', () => {
  it('takes only the dashed lower-case spelling as an id', () => {
    expect(isUuid('0199c0de-0000-7000-8000-0123456789ab')).toBe(true)
    expect(isUuid('0199C0DE-0000-7000-8000-0123456789AB')).toBe(false)
    expect(looksLikeUuid('0199C0DE-0000-7000-8000-0123456789AB')).toBe(true)
  })

  it('names an entity by the end of its id, since a UUIDv7 begins with the time', () => {
    expect(shortId('0199c0de-0000-7000-8000-0123456789ab')).toBe('23456789ab')
  })
})

describe('memberships', () => {
  const states: MembershipState[] = ['Waiting', 'Joining', 'Ready', 'Degraded', 'Leaving', 'JoinFailed', 'UnjoinFailed']

  it('count in member_ids unless the join failed', () => {
    expect(states.filter((state) => !isMember({ state }))).toEqual(['JoinFailed'])
  })

  it('move while waiting, joining or leaving', () => {
    expect(states.filter((state) => isProgressing({ state }))).toEqual(['Waiting', 'Joining', 'Leaving'])
  })
})

describe('federationsOf', () => {
  it('names a federation once that uses the cluster as host and as member', () => {
    expect(federationsOf({ projectId: 'blue', uses: ['host:f1', 'member:f1', 'member:f2@green@1'] })).toEqual([
      { projectId: 'blue', id: 'f1' },
      { projectId: 'green@1', id: 'f2' },
    ])
  })
})

describe('isDriverId', () => {
  it.each([
    ['clusterprofile@1', true],
    ['clusterprofile', false],
    ['Clusterprofile@1', false],
    ['x@0', false],
  ])('%s is %s', (text, answer) => expect(isDriverId(text)).toBe(answer))
})

describe('STATUSES', () => {
  it('are Magnum federation statuses, all nine', () => {
    expect(STATUSES).toHaveLength(9)
    expect(STATUSES).toContain('UPDATE_IN_PROGRESS')
  })
})
