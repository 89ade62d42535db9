import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import type { Membership } from '../../../functions/core/membership/membership.ts'
import {
  changeFederation,
  endMembership,
  givenCluster,
  givenFederation,
  readCluster,
  readFederation,
  readMembership,
  settleFederation,
} from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const patch = (id: string, body: unknown, query = '') => lab.call('PATCH', `/v1/federations/${id}${query}`, { body })
const add = (value: unknown) => ({ op: 'add', path: '/member_ids', value })
const remove = (value: unknown) => ({ op: 'remove', path: '/member_ids', value })
const replace = (value: unknown) => ({ op: 'replace', path: '/member_ids', value })

type Ended = 'Ready' | 'Degraded' | 'JoinFailed' | 'UnjoinFailed'

/** A settled federation with one member in a state. */
const givenMember = async (state: Ended = 'Ready', settled: Partial<Federation> = {}) => {
  const member = await givenCluster(lab)
  const { id } = await givenFederation(lab, { members: [member] })
  if (state !== 'Ready') await endMembership(lab, id, member, state)
  await settleFederation(lab, id, settled)
  return { id, member }
}

const lastStarts = (count: number) => lab.executions.starts.slice(-count)

describe('join (section 8.3, design 2)', () => {
  it('answers 202 with the uuid, before which the membership joins', async () => {
    const { id } = await givenFederation(lab)
    const cluster = await givenCluster(lab)
    const { status, body } = await patch(id, [add(cluster)])
    expect([status, body]).toEqual([202, { uuid: id }])
    const federation = await readFederation(lab, id)
    const membership = await readMembership(lab, id, cluster)
    expect(federation).toMatchObject({ status: 'UPDATE_IN_PROGRESS', operation: null, memberIds: [cluster] })
    expect(membership).toMatchObject({ state: 'Joining', changeId: federation.change?.id, operation: { kind: 'join' } })
    expect((await readCluster(lab, cluster)).uses).toEqual([`member:${id}`])
    expect(lastStarts(1)).toMatchObject([{ flow: 'member-join', input: { entityId: `${id}:${cluster}` } }])
  })

  it('takes a name', async () => {
    const { id } = await givenFederation(lab)
    const cluster = await givenCluster(lab, { name: 'by-name' })
    await patch(id, [add('by-name')])
    expect((await readFederation(lab, id)).memberIds).toEqual([cluster])
  })

  it('takes a list, one flow each', async () => {
    const { id } = await givenFederation(lab)
    const clusters = await Promise.all([1, 2, 3].map(() => givenCluster(lab)))
    await patch(id, [add(clusters)])
    expect((await readFederation(lab, id)).memberIds).toEqual(clusters.toSorted())
    expect(lastStarts(3).map(({ flow }) => flow)).toEqual(['member-join', 'member-join', 'member-join'])
  })

  it.each(['/member_ids/-', '/member_ids/0'])('takes %s', async (path) => {
    const { id } = await givenFederation(lab)
    expect((await patch(id, [{ op: 'add', path, value: await givenCluster(lab) }])).status).toBe(202)
  })

  it('goes into the run of changes that is open', async () => {
    const { id } = await givenFederation(lab)
    await patch(id, [add(await givenCluster(lab))])
    const first = (await readFederation(lab, id)).change
    await patch(id, [add(await givenCluster(lab))])
    const second = (await readFederation(lab, id)).change
    expect([second?.id, (second?.deadline ?? '') >= (first?.deadline ?? '')]).toEqual([first?.id, true])
  })

  it('leaves CREATE_IN_PROGRESS while the first members join', async () => {
    const { id } = await givenFederation(lab)
    const change = { id: '01a21f7e-0000-7000-8000-000000000000', deadline: '2099-01-01T00:00:00.000Z' }
    await changeFederation(lab, id, { status: 'CREATE_IN_PROGRESS', change })
    await patch(id, [add(await givenCluster(lab))])
    expect(await readFederation(lab, id)).toMatchObject({ status: 'CREATE_IN_PROGRESS', change })
  })

  it('of a failed join tries again under the same name', async () => {
    const { id, member } = await givenMember('JoinFailed', { status: 'UPDATE_FAILED' })
    const before = await readMembership(lab, id, member)
    expect((await patch(id, [add(member)])).status).toBe(202)
    const after = await readMembership(lab, id, member)
    expect(after).toMatchObject({ state: 'Joining', memberName: before.memberName, revision: before.revision + 1 })
    expect(await readFederation(lab, id)).toMatchObject({ status: 'UPDATE_IN_PROGRESS', memberIds: [member] })
  })

  it('writes an event of the member', async () => {
    const { id } = await givenFederation(lab)
    const cluster = await givenCluster(lab)
    await patch(id, [add(cluster)])
    const { body } = await lab.call('GET', `/v1/federations/${id}/events`)
    expect(body.events.at(-1)).toMatchObject({ action: 'join', outcome: 'pending', cluster_id: cluster })
  })
})

describe('unjoin', () => {
  it.each<Ended>(['Ready', 'Degraded', 'UnjoinFailed'])('of a member that is %s begins', async (state) => {
    const { id, member } = await givenMember(state)
    expect((await patch(id, [remove(member)])).status).toBe(202)
    expect(await readMembership(lab, id, member)).toMatchObject({
      state: 'Leaving',
      operation: { kind: 'unjoin', force: false },
    })
    expect((await readFederation(lab, id)).memberIds).toEqual([member])
    expect(lastStarts(1)).toMatchObject([{ flow: 'member-unjoin', input: { entityId: `${id}:${member}` } }])
  })

  it('leaves nothing of the fault in the membership', async () => {
    const { id, member } = await givenMember('UnjoinFailed')
    await patch(id, [remove(member)])
    expect(await readMembership(lab, id, member)).not.toHaveProperty('message')
  })

  it('of a member that joins replaces the join', async () => {
    const { id } = await givenFederation(lab)
    const cluster = await givenCluster(lab)
    await patch(id, [add(cluster)])
    const join = (await readMembership(lab, id, cluster)) as Extract<Membership, { state: 'Joining' }>
    await patch(id, [remove(cluster)])
    expect(await readMembership(lab, id, cluster)).toMatchObject({
      state: 'Leaving',
      operation: { supersedes: [{ flow: 'member-join', name: `${join.operation.id}-1` }] },
    })
  })

  it.each(['name', 'list'])('takes a %s', async (form) => {
    const member = await givenCluster(lab, { name: `leaver-${form}` })
    const { id } = await givenFederation(lab, { members: [member] })
    expect((await patch(id, [remove(form === 'list' ? [member] : 'leaver-name')])).status).toBe(202)
    expect((await readMembership(lab, id, member)).state).toBe('Leaving')
  })

  it('with force is forced', async () => {
    const { id, member } = await givenMember('UnjoinFailed')
    await patch(id, [remove(member)], '?force=true')
    expect(await readMembership(lab, id, member)).toMatchObject({ operation: { force: true } })
  })

  it('that runs becomes a forced one', async () => {
    const { id, member } = await givenMember()
    await patch(id, [remove(member)])
    const first = (await readMembership(lab, id, member)) as Extract<Membership, { state: 'Leaving' }>
    expect((await patch(id, [remove(member)])).status).toBe(409)
    expect((await patch(id, [remove(member)], '?force=true')).status).toBe(202)
    expect(await readMembership(lab, id, member)).toMatchObject({
      operation: { force: true, supersedes: [{ flow: 'member-unjoin', name: `${first.operation.id}-1` }] },
    })
    expect((await patch(id, [remove(member)], '?force=true')).status).toBe(409)
  })
})

describe('dismissing a failed join', () => {
  it('forgets it, starts nothing and repairs the federation', async () => {
    const { id, member } = await givenMember('JoinFailed', { status: 'UPDATE_FAILED', statusReason: 'a: no' })
    const before = lab.executions.starts.length
    expect((await patch(id, [remove(member)])).status).toBe(202)
    expect((await lab.call('GET', `/v1/federations/${id}`)).body).toMatchObject({
      status: 'UPDATE_COMPLETE',
      status_reason: null,
      members: [],
    })
    expect([lab.executions.starts.length, (await readCluster(lab, member)).uses]).toEqual([before, []])
  })

  it('unjoins it first when something was left behind: until then the cluster counts as a member again', async () => {
    const { id, member } = await givenMember('JoinFailed', { status: 'UPDATE_FAILED' })
    const failed = await readMembership(lab, id, member)
    const left = {
      where: 'member',
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      namespace: 'a',
      name: 'b',
      uid: 'c',
    } as const
    await lab.stores.commit([
      lab.stores.memberships.replace(failed, { ...failed, made: [left], leftovers: [left] } as Membership),
    ])
    expect((await patch(id, [remove(member)], '?dry_run=true')).body.would_remove).toEqual([
      expect.stringContaining('ServiceAccount a/b in the member'),
    ])
    expect((await patch(id, [remove(member)], '?force=true')).status).toBe(202)
    expect(await readMembership(lab, id, member)).toMatchObject({
      state: 'Leaving',
      made: [left],
      operation: { kind: 'unjoin', force: true },
    })
    expect((await readFederation(lab, id)).memberIds).toEqual([member])
    expect((await readCluster(lab, member)).uses).toEqual([`member:${id}`])
    expect(lastStarts(1)).toMatchObject([{ flow: 'member-unjoin', input: { entityId: `${id}:${member}` } }])
  })

  it('leaves the federation failed while another one is', async () => {
    const members = [await givenCluster(lab), await givenCluster(lab)]
    const { id } = await givenFederation(lab, { members })
    for (const member of members) await endMembership(lab, id, member, 'JoinFailed')
    await changeFederation(lab, id, { status: 'CREATE_FAILED' })
    await patch(id, [remove(members[0])])
    expect((await readFederation(lab, id)).status).toBe('CREATE_FAILED')
  })
})

describe('replace: exactly these', () => {
  it('joins those that are missing and unjoins those that are not listed', async () => {
    const [stays, leaves, comes] = [await givenCluster(lab), await givenCluster(lab), await givenCluster(lab)]
    const { id } = await givenFederation(lab, { members: [stays, leaves] })
    expect((await patch(id, [replace([stays, comes])])).status).toBe(202)
    const memberships = await lab.stores.memberships.listOf({ projectId: 'blue', id })
    expect(Object.fromEntries(memberships.map(({ clusterId, state }) => [clusterId, state]))).toEqual({
      [stays]: 'Ready',
      [leaves]: 'Leaving',
      [comes]: 'Joining',
    })
  })

  it('with what is there changes nothing', async () => {
    const { id, member } = await givenMember()
    const { revision } = await readFederation(lab, id)
    expect((await patch(id, [replace([member])])).status).toBe(202)
    expect((await readFederation(lab, id)).revision).toBe(revision)
  })

  it('with an empty list unjoins all', async () => {
    const { id, member } = await givenMember()
    await patch(id, [replace([])])
    expect((await readMembership(lab, id, member)).state).toBe('Leaving')
  })
})

describe('PATCH of members refuses', () => {
  type Row = [
    what: string,
    operations: (ids: { member: string; other: string; host: string }) => unknown,
    status: number,
    detail: string,
  ]

  it.each<Row>([
    ['an unknown id', () => [add('00000000-0000-4000-8000-000000000009')], 404, 'could not be found'],
    ['an unknown name', () => [add('nobody')], 404, '"nobody"'],
    ['a member that joins again', ({ member }) => [add(member)], 409, 'is a member of the federation already (Ready)'],
    ['the host', ({ host }) => [add(host)], 400, "can't have the host as a member"],
    ['the same cluster added twice', ({ other }) => [add(other), add([other])], 400, 'twice'],
    ['the same cluster removed twice', ({ member }) => [remove([member, member])], 400, 'twice'],
    ['a cluster added and removed', ({ member }) => [add(member), remove(member)], 400, 'both added and removed'],
    ['unjoining a non-member', ({ other }) => [remove(other)], 404, 'is no member of the federation'],
    ['unjoining an unknown name', () => [remove('nobody')], 404, 'is no member of the federation'],
    ['remove without a value', () => [{ op: 'remove', path: '/member_ids' }], 400, 'say which'],
    ['remove by index', () => [{ op: 'remove', path: '/member_ids/0' }], 400, 'say which'],
    [
      'remove by index with a value',
      ({ member }) => [{ op: 'remove', path: '/member_ids/0', value: member }],
      400,
      'say which',
    ],
    ['replace with text', ({ other }) => [replace(other)], 400, 'with a list'],
    ['replace by index', ({ other }) => [{ op: 'replace', path: '/member_ids/0', value: other }], 400, 'with a list'],
    ['replace beside add', ({ other }) => [replace([]), add(other)], 400, "can't stand beside"],
    ['a value that is a number', () => [add(5)], 400, 'id or name of a cluster'],
    ['a value that is an object', () => [add({})], 400, 'id or name of a cluster'],
    ['a list with a number', () => [add(['a', 5])], 400, 'id or name of a cluster'],
    ['a path into the list', ({ other }) => [{ op: 'add', path: '/member_ids/x', value: other }], 400, 'is a list'],
    ['46 changes', () => [add(Array.from({ length: 46 }, (_, n) => `m${n}`))], 400, 'at most 45'],
    ['a name', () => [{ op: 'replace', path: '/name', value: 'x' }], 400, 'Cannot change "/name"'],
    ['the host by patch', () => [{ op: 'replace', path: '/hostcluster_id', value: 'x' }], 400, '"/hostcluster_id"'],
    ['a status', () => [{ op: 'remove', path: '/status' }], 400, 'Cannot change "/status"'],
    ['an object', () => ({ member_ids: [] }), 400, 'must be a list of JSON Patch operations'],
  ])('%s', async (...[, operations, status, detail]) => {
    const member = await givenCluster(lab)
    const { id, host } = await givenFederation(lab, { members: [member] })
    const answer = await patch(id, operations({ member, host, other: await givenCluster(lab) }))
    expect([answer.status, answer.body.errors[0].detail]).toEqual([status, expect.stringContaining(detail)])
  })

  it('46 changes of clusters that are there', async () => {
    const { id } = await givenFederation(lab)
    const clusters = await Promise.all(Array.from({ length: 46 }, () => givenCluster(lab)))
    const answer = await patch(id, [add(clusters)])
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining('at most 45')])
    expect((await patch(id, [add(clusters.slice(1))])).status).toBe(202)
  })

  it('an ambiguous name', async () => {
    const { id } = await givenFederation(lab)
    for (const name of ['double', 'double']) await givenCluster(lab, { name })
    expect((await patch(id, [add('double')])).status).toBe(409)
  })

  it('a cluster that is not ready to join', async () => {
    const { id } = await givenFederation(lab)
    const cluster = await givenCluster(lab, { status: 'CREATE_FAILED' })
    expect((await patch(id, [add(cluster)])).status).toBe(409)
  })

  it('a member that is leaving', async () => {
    const { id, member } = await givenMember()
    await patch(id, [remove(member)])
    const answer = await patch(id, [add(member)])
    expect([answer.status, answer.body.errors[0].detail]).toEqual([409, expect.stringContaining('is being unjoined')])
  })

  it.each<[string, Partial<Federation>, string]>([
    ['DELETE_IN_PROGRESS', { status: 'DELETE_IN_PROGRESS' }, 'DELETE_IN_PROGRESS'],
    ['DELETE_FAILED', { status: 'DELETE_FAILED' }, 'DELETE_FAILED'],
    ['CREATE_FAILED without a control plane', { status: 'CREATE_FAILED', conditions: [] }, 'Delete the federation'],
  ])('a join while the federation is %s', async (_what, update, detail) => {
    const { id } = await givenFederation(lab)
    await changeFederation(lab, id, update)
    const answer = await patch(id, [add(await givenCluster(lab))])
    expect([answer.status, answer.body.errors[0].detail]).toEqual([409, expect.stringContaining(detail)])
  })

  it('a join while the create runs, naming it', async () => {
    const { body } = await lab.call('POST', '/v1/federations', { body: { hostcluster_id: await givenCluster(lab) } })
    const answer = await patch(body.uuid, [add(await givenCluster(lab))])
    expect([answer.status, answer.body.errors[0].detail]).toEqual([
      409,
      expect.stringContaining('its create is running'),
    ])
  })

  it('everything when one operation is wrong', async () => {
    const { id } = await givenFederation(lab)
    const before = await readFederation(lab, id)
    await patch(id, [add(await givenCluster(lab)), add('nobody')])
    expect(await readFederation(lab, id)).toEqual(before)
  })
})
