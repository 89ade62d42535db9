import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeGroupAnswer } from '../../../functions/api/nodegroups/node-group.answer.schema.ts'
import type { NodeGroupChange, NodeTaint } from '../../../functions/core/cluster/node-group.ts'
import { notificationOf } from '../../../functions/core/values/event.ts'
import type { Status } from '../../../functions/core/values/status.ts'
import { REFUSED_LABEL } from '../../support/api/drivers.ts'
import { changeCluster, readCluster, readGroups, settleCluster } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import {
  callGroups,
  changeGroup,
  copyCluster,
  type GroupCallOptions,
  givenGroup,
  givenReachable,
  readGroup,
} from '../../support/api/node-groups.ts'
import { ALICE, BOB, READER } from '../../support/api/request.ts'

let lab: ApiLab
let prototype: string

beforeAll(async () => {
  lab = await createApiLab()
  prototype = await givenReachable(lab)
  await givenGroup(lab, prototype, { node_count: 3, min_node_count: 2, max_node_count: 5 })
  await settleCluster(lab, prototype, { status: 'UPDATE_COMPLETE' })
})
afterAll(() => lab.dispose())

/** A complete cluster with one more group, `pool`: 3 of 2 to 5 nodes. */
const givenPool = async (change?: NodeGroupChange): Promise<string> => {
  const cluster = await copyCluster(lab, prototype)
  if (change !== undefined) await changeGroup(lab, cluster, 'pool', change)
  return cluster
}

const patch = (cluster: string, body: unknown, options: GroupCallOptions & { group?: string } = {}) =>
  callGroups(lab, 'PATCH', `${cluster}/nodegroups/${options.group ?? 'pool'}`, { body, ...options })
const remove = (cluster: string, group = 'pool', options: GroupCallOptions = {}) =>
  callGroups(lab, 'DELETE', `${cluster}/nodegroups/${group}`, options)

const replace = (attribute: string, value: unknown) => ({ op: 'replace', path: `/${attribute}`, value })
const TAINT: NodeTaint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' }

describe('PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup} (magnum-rest.md section 6)', () => {
  it('answers 202 with the whole object; group and cluster read UPDATE_IN_PROGRESS at once', async () => {
    const cluster = await givenPool()
    const { status, body } = await patch(cluster, [replace('max_node_count', 9)])
    expect([status, nodeGroupAnswer.parse(body).max_node_count, body.status]).toEqual([202, 9, 'UPDATE_IN_PROGRESS'])
    expect((await callGroups(lab, 'GET', `${cluster}/nodegroups/pool`)).body).toEqual(body)
    const { status: of, task } = await readCluster(lab, cluster)
    expect([of, task]).toEqual([
      'UPDATE_IN_PROGRESS',
      { kind: 'node-group-update', nodeGroupId: body.uuid, nodeCount: null },
    ])
  })

  it('keeps why an upgrade of it failed (decision 0025), and shows it when no change runs', async () => {
    const failed = { status: 'UPDATE_FAILED', statusReason: 'No such image.' } as const
    const cluster = await givenPool({ ...failed, failedTask: 'upgrade' })
    const { body } = await patch(cluster, [replace('max_node_count', 9)])
    expect([body.status, body.status_reason]).toEqual(['UPDATE_IN_PROGRESS', null])
    expect((await readGroup(lab, cluster, 'pool')).statusReason).toBe('No such image.')
    const other = await givenPool({ ...failed, failedTask: 'resize' })
    await patch(other, [replace('max_node_count', 9)])
    expect((await readGroup(lab, other, 'pool')).statusReason).toBeNull()
  })

  it.each<[string, unknown, Record<string, unknown>]>([
    [
      'both limits',
      [replace('min_node_count', 1), replace('max_node_count', 4)],
      { min_node_count: 1, max_node_count: 4 },
    ],
    ['a plain object', { min_node_count: 1, max_node_count: 8 }, { min_node_count: 1, max_node_count: 8 }],
    ['null in a plain object', { max_node_count: null }, { min_node_count: 2, max_node_count: null }],
    ['remove of the most', [{ op: 'remove', path: '/max_node_count' }], { max_node_count: null }],
    ['remove of the least', [{ op: 'remove', path: '/min_node_count' }], { min_node_count: 0 }],
    ['0 as most: no limit', [replace('max_node_count', 0)], { max_node_count: 0, node_count: 3 }],
    ['labels as a Python literal', [replace('node_labels', "{'a': 'x'}")], { node_labels: { a: 'x' } }],
    ['labels as JSON text', [replace('node_labels', '{"a": "x"}')], { node_labels: { a: 'x' } }],
    ['labels as an object', [replace('node_labels', { a: 'x' })], { node_labels: { a: 'x' } }],
    ['one label', [{ op: 'add', path: '/node_labels/a', value: 'x' }], { node_labels: { old: '1', a: 'x' } }],
    [
      'a label with a slash',
      [{ op: 'add', path: '/node_labels/b.io~1a', value: 'x' }],
      { node_labels: { old: '1', 'b.io/a': 'x' } },
    ],
    ['remove of one label', [{ op: 'remove', path: '/node_labels/old' }], { node_labels: {} }],
    ['remove of the labels', [{ op: 'remove', path: '/node_labels' }], { node_labels: {} }],
    [
      'taints as a Python literal',
      [replace('node_taints', "[{'key': 'gpu', 'value': 'yes', 'effect': 'NoSchedule'}]")],
      { node_taints: [TAINT] },
    ],
    ['taints as JSON text', [replace('node_taints', JSON.stringify([TAINT]))], { node_taints: [TAINT] }],
    ['taints as a list', [replace('node_taints', [TAINT])], { node_taints: [TAINT] }],
    ['taints where none are', [{ op: 'add', path: '/node_taints', value: [TAINT] }], { node_taints: [TAINT] }],
    ['no taints', [replace('node_taints', '[]')], { node_taints: [] }],
    ['remove of the taints', [{ op: 'remove', path: '/node_taints' }], { node_taints: [] }],
  ])('takes %s', async (_, body, expected) => {
    const cluster = await givenPool({ nodeLabels: { old: '1' } })
    const answer = await patch(cluster, body)
    expect([answer.status, answer.body]).toEqual([202, expect.objectContaining(expected)])
  })

  it('accepts an empty patch, which changes nothing', async () => {
    const cluster = await givenPool()
    const { status, body } = await patch(cluster, [])
    expect([status, body.name, body.status]).toEqual([202, 'pool', 'UPDATE_COMPLETE'])
    expect((await readCluster(lab, cluster)).status).toBe('UPDATE_COMPLETE')
  })

  it.each<[string, unknown, number]>([
    ['the most below the count', [replace('max_node_count', 2)], 2],
    ['both above, the most last', [replace('min_node_count', 7), replace('max_node_count', 9)], 7],
    ['both below, the most first', [replace('max_node_count', 1), replace('min_node_count', 1)], 1],
  ])('moves %s, and the count with it (section 11 row 12)', async (_, body, count) => {
    const cluster = await givenPool()
    const answer = await patch(cluster, body)
    expect([answer.status, answer.body.node_count]).toEqual([202, count])
    const { task, nodes } = await readCluster(lab, cluster)
    expect(task).toEqual({ kind: 'node-group-update', nodeGroupId: answer.body.uuid, nodeCount: count })
    expect(nodes?.nodeCount).toBe(1 + count)
    const group = await readGroup(lab, cluster, 'pool')
    expect([group.nodeCount, group.reachedCount]).toEqual([count, 3])
  })

  it('changes the limits of a default group', async () => {
    const cluster = await givenPool()
    const answer = await patch(cluster, [replace('max_node_count', 7)], { group: 'default-worker' })
    expect([answer.status, answer.body.max_node_count, answer.body.is_default]).toEqual([202, 7, true])
  })

  it('queues behind what runs, in the order in which it was asked for', async () => {
    const cluster = await givenPool()
    await patch(cluster, [replace('max_node_count', 9)])
    const { status } = await patch(cluster, [replace('max_node_count', 10)])
    const { queue } = await readCluster(lab, cluster)
    expect([status, queue.map(({ task }) => task.kind)]).toEqual([202, ['node-group-update']])
    expect((await readGroup(lab, cluster, 'pool')).maxNodeCount).toBe(10)
  })
})

describe('refusals of a PATCH, which change nothing', () => {
  let cluster: string
  beforeAll(async () => {
    cluster = await givenPool({ nodeLabels: { old: '1' }, nodeTaints: [TAINT] })
  })

  it.each<[unknown, string]>([
    [[replace('node_count', 4)], 'Cannot change "/node_count"'],
    [[replace('name', 'x')], 'Cannot change "/name"'],
    [[replace('role', 'x'), replace('labels', {})], 'Cannot change "/role" and "/labels"'],
    [{ flavor_id: 'x' }, 'Cannot change "/flavor_id"'],
    [[replace('max_node_count', '4.5')], 'must be an integer'],
    [[replace('max_node_count', '')], 'must be an integer'],
    [[replace('max_node_count', -1)], 'must be an integer'],
    [[replace('min_node_count', 1.5)], 'must be an integer'],
    [[replace('min_node_count', true)], 'must be an integer'],
    [[{ op: 'replace', path: '/max_node_count' }], 'needs a "value"'],
    [[replace('max_node_count', null)], 'needs a "value"'],
    [[{ op: 'add', path: '/max_node_count', value: 9 }], 'is set already'],
    [[{ op: 'add', path: '/min_node_count', value: 1 }], 'is set already'],
    [[{ op: 'add', path: '/node_taints', value: [] }], 'is set already'],
    [[{ op: 'add', path: '/node_labels', value: {} }], 'is set already'],
    [[{ op: 'remove', path: '/node_labels/none' }], 'has no such key'],
    [[{ op: 'replace', path: '/node_taints/0', value: {} }], 'can only be changed as a whole'],
    [[{ op: 'test', path: '/max_node_count', value: 5 }], 'has the op "test"'],
    [[replace('node_labels', 'a=x')], 'must be a dictionary'],
    [[replace('node_labels', ['a'])], 'must be a dictionary'],
    [[replace('node_taints', 'gpu=yes:NoSchedule')], '"node_taints" must be a list'],
    [[replace('node_taints', { key: 'gpu' })], '"node_taints" must be a list'],
    [[replace('node_taints', [{ ...TAINT, extra: 1 }])], '"node_taints.0"'],
    [[replace('node_taints', "[{'key': 'a', 'effect': 'NoExecute', 'extra': 'x'}]")], '"node_taints.0"'],
    ['text', 'JSON'],
    [undefined, 'must be a list of JSON Patch operations'],
  ])('400: %j', async (body, why) => {
    const before = await readGroup(lab, cluster, 'pool')
    const answer = await patch(cluster, body)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining(why)])
    expect(await readGroup(lab, cluster, 'pool')).toEqual(before)
  })

  it.each<[unknown, string]>([
    [[replace('min_node_count', 4)], '"min_node_count" is 4 and the group has 3 nodes'],
    [[replace('min_node_count', 6)], '"min_node_count" is 6 and "max_node_count" is 5'],
    [[replace('max_node_count', 1)], '"min_node_count" is 2 and "max_node_count" is 1'],
    [[replace('node_labels', { 'k8s.io/x': 'y' })], 'is reserved'],
    [[{ op: 'add', path: '/node_labels/a', value: 'x y' }], 'The value of "a"'],
    [[replace('node_taints', [{ key: 'gpu', effect: 'Never' }])], 'The effect of entry 1'],
    [[replace('node_taints', "[{'key': 'gpu'}]")], 'The effect of entry 1'],
    [[replace('node_taints', [TAINT, TAINT])], 'entry 2'],
  ])('409: %j', async (body, why) => {
    const before = await readGroup(lab, cluster, 'pool')
    const answer = await patch(cluster, body)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([409, expect.stringContaining(why)])
    expect(await readGroup(lab, cluster, 'pool')).toEqual(before)
  })

  it.each(['node_labels', 'node_taints'])('409: /%s of the masters', async (attribute) => {
    const answer = await patch(cluster, [{ op: 'remove', path: `/${attribute}` }], { group: 'default-master' })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([409, expect.stringContaining('master')])
  })

  it('409 with what the driver has against it', async () => {
    const refused = await givenPool({ labels: { [REFUSED_LABEL]: 'No such flavor here.' } })
    const answer = await patch(refused, [replace('max_node_count', 9)])
    expect([answer.status, answer.body.errors[0].detail]).toEqual([409, 'No such flavor here.'])
  })

  it('404 for a group that is not there', async () => {
    expect((await patch(cluster, [replace('max_node_count', 9)], { group: 'none' })).status).toBe(404)
  })

  it('400 naming a driver that does not know the change', async () => {
    const rigid = await givenReachable(lab, { driver: 'rigid@1' })
    const answer = await patch(rigid, [replace('max_node_count', 9)], { group: 'default-worker' })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining('rigid@1')])
  })
})

describe('states', () => {
  it.each<[Status, number]>([
    ['CREATE_COMPLETE', 202],
    ['UPDATE_COMPLETE', 202],
    ['UPDATE_FAILED', 202],
    ['UPDATE_IN_PROGRESS', 202],
    ['CREATE_IN_PROGRESS', 409],
    ['CREATE_FAILED', 409],
    ['DELETE_IN_PROGRESS', 409],
    ['DELETE_FAILED', 409],
  ])('of a cluster that is %s: PATCH is %i', async (status, expected) => {
    const cluster = await givenPool()
    await changeCluster(lab, cluster, { status })
    expect((await patch(cluster, [replace('max_node_count', 9)])).status).toBe(expected)
    expect((await remove(cluster)).status).toBe(expected === 202 ? 204 : 409)
  })

  it.each<[Status, number]>([
    ['CREATE_IN_PROGRESS', 202],
    ['UPDATE_FAILED', 202],
    ['CREATE_FAILED', 409],
    ['DELETE_IN_PROGRESS', 409],
    ['DELETE_FAILED', 409],
  ])('of a group that is %s: PATCH is %i, DELETE is 204', async (status, expected) => {
    const cluster = await givenPool({ status })
    expect((await patch(cluster, [replace('max_node_count', 9)])).status).toBe(expected)
    expect((await remove(cluster)).status).toBe(204)
  })
})

const resize = async (cluster: string, body: unknown): Promise<void> => {
  const headers = { 'OpenStack-API-Version': 'container-infra 1.10' }
  expect((await lab.call('POST', `/v1/clusters/${cluster}/actions/resize`, { body, headers })).status).toBe(202)
}

describe('DELETE /v1/clusters/{cluster}/nodegroups/{nodegroup}', () => {
  it('answers 204 without a body; group and cluster show it at once (section 11 row 3)', async () => {
    const cluster = await givenPool()
    const { id } = await readGroup(lab, cluster, 'pool')
    const { status, text } = await remove(cluster)
    expect([status, text]).toEqual([204, ''])
    const { body } = await callGroups(lab, 'GET', `${cluster}/nodegroups/pool`)
    expect([body.status, body.node_count]).toEqual(['DELETE_IN_PROGRESS', 3])
    const { status: of, task, nodes } = await readCluster(lab, cluster)
    expect([of, task, nodes?.nodeCount]).toEqual([
      'UPDATE_IN_PROGRESS',
      { kind: 'node-group-delete', nodeGroupId: id },
      4,
    ])
  })

  it('is done once: again it is 204 without a second task', async () => {
    const cluster = await givenPool()
    const answers = await Promise.all([1, 2, 3].map(() => remove(cluster)))
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204])
    expect((await readCluster(lab, cluster)).queue).toEqual([])
  })

  it('takes the headers that openstack coe sends', async () => {
    const cluster = await givenPool()
    const headers = { 'Content-Type': 'application/octet-stream', 'Content-Length': '0' }
    expect((await remove(cluster, 'pool', { headers })).status).toBe(204)
  })

  it('takes the place of what runs for the group, and of what waits for it (decision 0024)', async () => {
    const cluster = await givenPool()
    await resize(cluster, { node_count: 4, nodegroup: 'pool' })
    await resize(cluster, { node_count: 2 })
    await resize(cluster, { node_count: 5, nodegroup: 'pool' })
    expect((await remove(cluster)).status).toBe(204)
    const { task, queue, operation } = await readCluster(lab, cluster)
    expect([task?.kind, queue.map((queued) => queued.task.kind)]).toEqual(['node-group-delete', ['resize']])
    expect(operation?.supersedes).toHaveLength(2)
  })

  it('takes back a group whose creation waits, at once', async () => {
    const cluster = await givenPool()
    await resize(cluster, { node_count: 2 })
    await givenGroup(lab, cluster, { name: 'other', node_count: 5 })
    const before = await readCluster(lab, cluster)
    expect((await remove(cluster, 'other')).status).toBe(204)
    const { task, queue, nodes } = await readCluster(lab, cluster)
    expect([task?.kind, queue, (before.nodes?.nodeCount ?? 0) - (nodes?.nodeCount ?? 0)]).toEqual(['resize', [], 5])
    expect((await readGroups(lab, cluster)).map(({ name }) => name)).not.toContain('other')
    expect((await remove(cluster, 'other')).status).toBe(404)
    const { items } = await lab.stores.events.listOf('blue', { kind: 'cluster', id: cluster }, { limit: 100 })
    const event = items.at(-1)
    expect(event).toMatchObject({ reason: 'NodeGroupTakenBack' })
    // What runs goes on: whoever listens must not take it for over.
    expect(event && notificationOf(event)).toBeUndefined()
  })

  it('queues behind what runs', async () => {
    const cluster = await givenPool()
    await givenGroup(lab, cluster, { name: 'other' })
    expect((await remove(cluster)).status).toBe(204)
    const { task, queue } = await readCluster(lab, cluster)
    expect([task?.kind, queue.map((queued) => queued.task.kind)]).toEqual(['node-group-create', ['node-group-delete']])
    const statuses = (await readGroups(lab, cluster)).slice(2).map(({ status }) => status)
    expect(statuses).toEqual(['DELETE_IN_PROGRESS', 'CREATE_IN_PROGRESS'])
  })

  it.each(['default-master', 'default-worker'])('of %s is 400', async (group) => {
    const cluster = await givenPool()
    const { status, body } = await remove(cluster, group)
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('default')])
    expect((await readCluster(lab, cluster)).status).toBe('UPDATE_COMPLETE')
  })

  it('of what is not there is 404', async () => {
    expect((await remove(await givenPool(), 'none')).status).toBe(404)
  })
})

describe('who may change node groups', () => {
  it.each([
    ['a reader', READER, 403],
    ['a member of another project', BOB, 404],
    ['an administrator of another project', { ...ALICE, projectId: 'green' }, 404],
  ])('not %s', async (_, as, expected) => {
    const cluster = await givenPool()
    expect((await patch(cluster, [replace('max_node_count', 9)], { as })).status).toBe(expected)
    expect((await remove(cluster, 'pool', { as })).status).toBe(expected)
  })

  it('nobody below version 1.9', async () => {
    const cluster = await givenPool()
    expect((await patch(cluster, [], { minor: 8 })).status).toBe(406)
    expect((await remove(cluster, 'pool', { minor: 8 })).status).toBe(406)
  })

  it('nobody without a group: 400, as Magnum answers', async () => {
    expect((await callGroups(lab, 'DELETE', 'x/nodegroups')).status).toBe(400)
  })
})
