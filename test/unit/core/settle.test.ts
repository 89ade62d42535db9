import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import { settle } from '../../../functions/core/federation/settle.ts'
import type { Membership } from '../../../functions/core/membership/membership.ts'
import { createTestStores, type TestStores } from '../../support/store/database.ts'
import { readyOf, sampleFederation, sampleId, sampleJoining, sampleOperation } from '../../support/store/samples.ts'

let stores: TestStores
beforeAll(async () => {
  stores = await createTestStores()
})
afterAll(() => stores.dispose())

const ports = () => ({ stores, clock: { now: () => new Date() }, newId: sampleId })
const CHANGE = { id: 'change-1', deadline: '2026-11-27T11:00:00.000Z' }

const given = async (changes: Partial<Federation>, ...memberships: ((id: string) => Membership)[]) => {
  const federation = sampleFederation({ status: 'UPDATE_IN_PROGRESS', change: CHANGE, ...changes })
  await stores.commit([
    stores.federations.insert(federation),
    ...memberships.map((make) => stores.memberships.insert(make(federation.id))),
  ])
  return { key: { projectId: 'blue', id: federation.id }, federation }
}
const joining = (federationId: string) => sampleJoining({ federationId, changeId: CHANGE.id })
const ready = (federationId: string) => readyOf(joining(federationId))
const failed =
  (changeId: string) =>
  (federationId: string): Membership => {
    const { operation: _, ...base } = sampleJoining({ federationId, changeId, memberName: 'edge-2' })
    return { ...base, state: 'JoinFailed', reason: 'ConnectFailed', message: 'No route.', leftovers: [] }
  }

describe('settle', () => {
  it.each([
    ['CREATE_IN_PROGRESS', 'CREATE_COMPLETE'],
    ['UPDATE_IN_PROGRESS', 'UPDATE_COMPLETE'],
  ] as const)('turns %s into %s when nothing moves', async (status, end) => {
    const { key } = await given({ status }, ready)
    expect(await settle(ports(), key)).toBe(true)
    const federation = await stores.federations.get(key)
    expect(federation).toMatchObject({ status: end, change: null, statusReason: null })
    expect(federation?.conditions).toMatchObject([
      { type: 'MembersReady', status: 'True', reason: 'AllReady', message: '1 member is ready.' },
    ])
  })

  it('says which properties are not in force, whatever succeeds after the update that failed', async () => {
    const { key } = await given({ properties: { size: '3', color: 'red' }, propertiesInForce: { size: '1' } }, ready)
    expect(await settle(ports(), key)).toBe(true)
    expect(await stores.federations.get(key)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      statusReason: 'Not in force since an update failed: color, size. Send the properties again, or those of before.',
    })
  })

  it('waits while a membership moves', async () => {
    const { key } = await given({}, ready, joining)
    expect(await settle(ports(), key)).toBe(false)
    expect(await stores.federations.get(key)).toMatchObject({ status: 'UPDATE_IN_PROGRESS', revision: 1 })
  })

  it.each([
    ['an operation of its own runs', { operation: sampleOperation('update') }],
    ['it is being deleted', { status: 'DELETE_FAILED' as const }],
    ['there is nothing to settle', { status: 'UPDATE_FAILED' as const, change: null }],
  ])('leaves a federation alone while %s', async (_, changes) => {
    const { key } = await given(changes, ready)
    expect(await settle(ports(), key)).toBe(false)
  })

  it('fails naming the memberships of this run that failed, and only those', async () => {
    const here = await given({}, ready, failed(CHANGE.id))
    await settle(ports(), here.key)
    expect(await stores.federations.get(here.key)).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: 'edge-2: No route.',
    })
    const earlier = await given({}, ready, failed('an earlier run'))
    await settle(ports(), earlier.key)
    expect(await stores.federations.get(earlier.key)).toMatchObject({ status: 'UPDATE_COMPLETE' })
  })

  it('completes a create whose control plane is up, naming the members that failed and how to try again', async () => {
    const up = { type: 'ControlPlaneReady', status: 'True', reason: 'Created', message: 'It is up.' } as const
    const conditions = [{ ...up, observedRevision: 1, changedAt: CHANGE.deadline }]
    const { key } = await given({ status: 'CREATE_IN_PROGRESS', conditions }, ready, failed(CHANGE.id))
    await settle(ports(), key)
    expect(await stores.federations.get(key)).toMatchObject({
      status: 'CREATE_COMPLETE',
      statusReason: 'edge-2: No route. To try again, add what failed to member_ids again.',
    })
  })

  it('names several that failed in one sentence', async () => {
    const other = (federationId: string) => ({
      ...failed(CHANGE.id)(federationId),
      memberName: 'edge-3',
      clusterId: 'cluster-9',
    })
    const { key } = await given({}, failed(CHANGE.id), other)
    await settle(ports(), key)
    expect((await stores.federations.get(key))?.statusReason).toMatch(/^edge-\d: No route; edge-\d: No route\.$/)
  })

  it('tells what was left behind in this run', async () => {
    const { key } = await given({ change: { ...CHANGE, leftBehind: ['edge-9 left a ServiceAccount.'] } })
    await settle(ports(), key)
    expect(await stores.federations.get(key)).toMatchObject({
      status: 'UPDATE_COMPLETE',
      statusReason: 'edge-9 left a ServiceAccount.',
    })
  })

  it('closes a run once when many see its end', async () => {
    const { key } = await given({}, ready)
    const closed = await Promise.all(Array.from({ length: 8 }, () => settle(ports(), key)))
    expect(closed.filter(Boolean)).toHaveLength(1)
    const { items } = await stores.events.listOf('blue', { kind: 'federation', id: key.id }, { limit: 10 })
    expect(items).toHaveLength(1)
  })

  it('decides again when a membership begins to move meanwhile', async () => {
    const { key, federation } = await given({}, ready)
    const { listOf } = stores.memberships
    let first = true
    const racing = {
      ...stores,
      memberships: {
        ...stores.memberships,
        listOf: async (of: { projectId: string; id: string }) => {
          const seen = await listOf(of)
          if (first) {
            first = false
            await stores.commit([
              stores.federations.change(federation, { change: CHANGE }),
              stores.memberships.insert(joining(federation.id)),
            ])
          }
          return seen
        },
      },
    }
    expect(await settle({ ...ports(), stores: racing }, key)).toBe(false)
    expect(await stores.federations.get(key)).toMatchObject({ status: 'UPDATE_IN_PROGRESS' })
  })
})
