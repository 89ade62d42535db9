import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeGroupAnswer } from '../../../functions/api/nodegroups/node-group.answer.schema.ts'
import type { Status } from '../../../functions/core/values/status.ts'
import { REFUSED_LABEL } from '../../support/api/drivers.ts'
import { changeCluster, givenCluster, givenTemplate, readCluster, readGroups } from '../../support/api/entities.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import {
  callGroups,
  copyCluster,
  type GroupCallOptions,
  givenGroup,
  givenReachable,
  readGroup,
} from '../../support/api/node-groups.ts'
import { ALICE, BOB, READER } from '../../support/api/request.ts'

let lab: ApiLab
/** Refusals leave it as it is. */
let cluster: string
const CLUSTER_LABELS = { keep: '1', other: '2' }

beforeAll(async () => {
  lab = await createApiLab()
  cluster = await givenReachable(lab, { labels: CLUSTER_LABELS, flavor_id: 'm1.small' })
})
afterAll(() => lab.dispose())

const create = (body: unknown, options: GroupCallOptions = {}, id = cluster) =>
  callGroups(lab, 'POST', `${id}/nodegroups`, { body, ...options })

describe('POST /v1/clusters/{cluster}/nodegroups (magnum-rest.md section 6)', () => {
  it('answers 202 with the whole object, which GET shows the same', async () => {
    const id = await givenReachable(lab)
    const { status, body } = await create({ name: 'pool' }, {}, id)
    expect(status).toBe(202)
    nodeGroupAnswer.parse(body)
    expect(body).toMatchObject({ name: 'pool', status: 'CREATE_IN_PROGRESS', node_addresses: [], node_labels: {} })
    expect((await callGroups(lab, 'GET', `${id}/nodegroups/pool`)).body).toEqual(body)
  })

  it('reads its cluster once, and the node groups once', async () => {
    const id = await givenReachable(lab)
    const { clusters, nodeGroups } = lab.ports.stores
    const { locate } = clusters
    const { listOf } = nodeGroups
    const reads: string[] = []
    clusters.locate = (...of) => {
      reads.push('cluster')
      return locate(...of)
    }
    nodeGroups.listOf = (...of) => {
      reads.push('node groups')
      return listOf(...of)
    }
    await create({ name: 'pool' }, {}, id).finally(() => {
      Object.assign(clusters, { locate })
      Object.assign(nodeGroups, { listOf })
    })
    expect(reads).toEqual(['cluster', 'node groups'])
  })

  it('has the cluster UPDATE_IN_PROGRESS with the new sums, and begins one task', async () => {
    const id = await givenReachable(lab, { node_count: 2 })
    const { uuid } = await givenGroup(lab, id, { node_count: 3 })
    const { status, task, nodes, operation } = await readCluster(lab, id)
    expect([status, task, nodes?.nodeCount, nodes?.masterCount]).toEqual([
      'UPDATE_IN_PROGRESS',
      { kind: 'node-group-create', nodeGroupId: uuid },
      5,
      1,
    ])
    const starts = lab.executions.starts.filter(
      ({ input }) => input.entityId === id && input.operationId === operation?.id,
    )
    expect(starts.map(({ flow }) => flow)).toEqual(['cluster-update'])
  })

  it('takes the defaults: one worker, no limits, flavor and labels of the cluster, image of its template', async () => {
    const template = await givenTemplate(lab, { driver: 'memory@1', spec: { imageId: 'fedora-99' } })
    const id = await givenReachable(lab, {
      driver: undefined,
      cluster_template_id: template.id,
      labels: CLUSTER_LABELS,
      flavor_id: 'm1.small',
      docker_volume_size: 9,
    })
    expect(await givenGroup(lab, id)).toMatchObject({
      node_count: 1,
      min_node_count: 0,
      max_node_count: null,
      role: 'worker',
      is_default: false,
      flavor_id: 'm1.small',
      image_id: 'fedora-99',
      labels: CLUSTER_LABELS,
      docker_volume_size: null,
    })
  })

  it('takes all that is given', async () => {
    const id = await givenReachable(lab, { labels: CLUSTER_LABELS })
    const given = {
      name: 'GPU nodes, très chers',
      node_count: 3,
      min_node_count: 1,
      max_node_count: 5,
      role: 'gpu',
      flavor_id: 'g1',
      image_id: 'fedora-gpu',
      docker_volume_size: 20,
      node_labels: { 'example.com/pool': 'gpu', 'node.kubernetes.io/instance-type': 'g1' },
      node_taints: [
        { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
        { key: 'gpu', effect: 'NoExecute' },
      ],
    }
    const body = await givenGroup(lab, id, { ...given, labels: { mine: true, size: 4 } })
    expect(body).toMatchObject({ ...given, labels: { mine: 'True', size: '4' }, labels_skipped: CLUSTER_LABELS })
  })

  it.each([
    ['what openstack coe sends', { name: 'a', node_count: 1, max_node_count: null, min_node_count: 0, role: 'worker' }],
    ['numbers as text', { name: 'a', node_count: '2', min_node_count: '1', max_node_count: '3' }],
    ['no nodes, in version 1.9', { name: 'a', node_count: 0 }],
    ['0 as most, which is no limit', { name: 'a', node_count: 4, max_node_count: 0 }],
    ['nulls and empty text', { name: 'a', role: null, flavor_id: '', image_id: null, labels: null, node_taints: null }],
    ['attributes that only the server sets', { name: 'a', id: 99, is_default: true, status: 'X', cluster_id: 'x' }],
    ['a merge that has nothing to merge', { name: 'a', merge_labels: 'true' }],
    ['255 characters', { name: 'n'.repeat(255) }],
  ])('accepts %s', async (_, body) => {
    const id = await copyCluster(lab, cluster)
    const answer = await create(body, {}, id)
    expect([answer.status, answer.body]).toEqual([
      202,
      expect.objectContaining({ id: 3, is_default: false, cluster_id: id, status: 'CREATE_IN_PROGRESS' }),
    ])
  })

  it('shows 0 as most as it was given', async () => {
    const id = await givenReachable(lab)
    expect((await givenGroup(lab, id, { max_node_count: 0 })).max_node_count).toBe(0)
  })

  it("lays labels over the cluster's when asked to, and leaves those as they are (section 11 row 15)", async () => {
    const id = await givenReachable(lab, { labels: CLUSTER_LABELS })
    const body = await givenGroup(lab, id, { labels: { other: '9', mine: '3' }, merge_labels: true })
    expect(body).toMatchObject({
      labels: { keep: '1', other: '9', mine: '3' },
      labels_overridden: { other: '2' },
      labels_added: { mine: '3' },
      labels_skipped: {},
      merge_labels: false,
    })
    expect((await readCluster(lab, id)).magnum.labels).toEqual(CLUSTER_LABELS)
    expect((await readGroup(lab, id, 'default-worker')).labels).toEqual(CLUSTER_LABELS)
  })
})

describe('refusals that change nothing', () => {
  const taint = { key: 'gpu', effect: 'NoSchedule' }

  it.each<[unknown, string]>([
    [{}, '"name"'],
    [{ name: null }, '"name"'],
    [{ name: '' }, '"name"'],
    [{ name: 'n'.repeat(256) }, '"name"'],
    [{ name: 7 }, '"name"'],
    [{ name: 'a', role: 'master' }, '"role" must not be "master"'],
    [{ name: 'a', role: 'MASTER' }, '"role" must not be "master"'],
    [{ name: 'a', role: 'Master' }, '"role" must not be "master"'],
    [{ name: 'a', role: ' master ' }, '"role" must not be "master"'],
    [{ name: 'a', node_count: -1 }, '"node_count"'],
    [{ name: 'a', node_count: 1.5 }, '"node_count"'],
    [{ name: 'a', min_node_count: -1 }, '"min_node_count"'],
    [{ name: 'a', max_node_count: 'many' }, '"max_node_count"'],
    [{ name: 'a', docker_volume_size: 0 }, '"docker_volume_size"'],
    [{ name: 'a', labels: ['x'] }, '"labels"'],
    [{ name: 'a', labels: { x: null } }, '"labels.x"'],
    [{ name: 'a', node_labels: { x: 1 } }, '"node_labels.x" must be text'],
    [{ name: 'a', node_labels: 'x=y' }, '"node_labels"'],
    [{ name: 'a', node_taints: taint }, '"node_taints" must be a list'],
    [{ name: 'a', node_taints: ['gpu:NoSchedule'] }, '"node_taints.0" must be a list'],
    [{ name: 'a', node_taints: [{ ...taint, extra: 'x' }] }, 'may have "key", "value" and "effect" only'],
    [{ name: 'a', project_id: 'blue' }, '"project_id"'],
    [{ name: 'a', links: [] }, '"links"'],
    [{ name: 'a', node_addresses: [] }, '"node_addresses"'],
    [{ name: 'a', stack_id: 'x' }, '"stack_id"'],
    [{ name: 'a', colour: 'red' }, '"colour"'],
    [[{ name: 'a' }], 'must be a JSON object'],
    [undefined, 'must be a JSON object'],
  ])('400: %j', async (body, why) => {
    const answer = await create(body)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining(why)])
    expect(await readGroups(lab, cluster)).toHaveLength(2)
  })

  it.each<[Record<string, unknown>, string]>([
    [{ node_count: 1, min_node_count: 2 }, '"node_count" is 1; it must be at least "min_node_count", 2.'],
    [{ node_count: 6, max_node_count: 5 }, '"node_count" is 6; it must be at most "max_node_count", 5.'],
    [{ node_count: 6, min_node_count: 6, max_node_count: 5 }, '"min_node_count" is 6 and "max_node_count" is 5'],
    [{ node_labels: { 'kubernetes.io/role': 'x' } }, 'is reserved'],
    [{ node_labels: { 'a b': 'x' } }, 'The key "a b"'],
    [{ node_labels: { a: 'x y' } }, 'The value of "a"'],
    [{ node_taints: [{ key: 'gpu' }] }, 'The effect of entry 1'],
    [{ node_taints: [{ effect: 'NoExecute' }] }, 'The key of entry 1'],
    [{ node_taints: [{ key: 'gpu', effect: 'Never' }] }, 'NoSchedule, PreferNoSchedule, NoExecute'],
    [{ node_taints: [taint, taint] }, 'entry 2'],
    [{ labels: { [REFUSED_LABEL]: 'This image is too old.' } }, 'This image is too old.'],
    [{ name: 'default-worker' }, 'has a node group "default-worker" already'],
  ])('409: %j', async (body, why) => {
    const answer = await create({ name: 'a', ...body })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([409, expect.stringContaining(why)])
    expect(await readGroups(lab, cluster)).toHaveLength(2)
    expect((await readCluster(lab, cluster)).status).toBe('CREATE_COMPLETE')
  })

  it('409 without an API address', async () => {
    const id = await givenCluster(lab)
    const answer = await create({ name: 'a' }, {}, id)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([409, expect.stringContaining('"api_address"')])
  })

  it('400 naming a driver that does not know the change', async () => {
    const id = await givenReachable(lab, { driver: 'rigid@1' })
    const answer = await create({ name: 'a' }, {}, id)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining('rigid@1')])
  })

  it.each<[Status, number]>([
    ['CREATE_COMPLETE', 202],
    ['UPDATE_COMPLETE', 202],
    ['UPDATE_FAILED', 202],
    ['UPDATE_IN_PROGRESS', 202],
    ['CREATE_IN_PROGRESS', 409],
    ['CREATE_FAILED', 409],
    ['DELETE_IN_PROGRESS', 409],
    ['DELETE_FAILED', 409],
  ])('of a cluster that is %s: %i', async (status, expected) => {
    const id = await copyCluster(lab, cluster)
    await changeCluster(lab, id, { status })
    const answer = await create({ name: 'a' }, {}, id)
    expect(answer.status).toBe(expected)
    if (expected === 409) expect(answer.body.errors[0].detail).toContain(`is ${status}`)
  })

  it.each([
    ['a reader', READER, 403],
    ['a member of another project', BOB, 404],
    ['an administrator of another project', { ...ALICE, projectId: 'green' }, 404],
  ])('of %s', async (_, as, expected) => {
    expect((await create({ name: 'a' }, { as })).status).toBe(expected)
  })

  it('406 below version 1.9', async () => {
    expect((await create({ name: 'a' }, { minor: 8 })).status).toBe(406)
  })
})

describe('parallel creates (section 11 row 11)', () => {
  it('are all accepted: one runs, the others wait in order, and numbers and sums are right', async () => {
    const id = await givenReachable(lab)
    const all = Array.from({ length: 10 }, (_, index) => `pool-${index}`)
    const answers = await Promise.all(all.map((name) => create({ name, node_count: 2 }, {}, id)))
    expect(answers.map(({ status }) => status)).toEqual(all.map(() => 202))
    const { task, queue, nodes } = await readCluster(lab, id)
    const groups = (await readGroups(lab, id)).filter(({ isDefault }) => !isDefault)
    const tasks = [task, ...queue.map((queued) => queued.task)]
    expect(groups.map(({ number }) => number)).toEqual(all.map((_, index) => index + 3))
    expect(tasks).toEqual(groups.map((group) => ({ kind: 'node-group-create', nodeGroupId: group.id })))
    expect(nodes?.nodeCount).toBe(21)
    expect(
      lab.executions.starts.filter(({ input }) => input.entityId === id && input.operationId !== undefined),
    ).toHaveLength(2)
  })

  it('of one name: one is accepted', async () => {
    const id = await givenReachable(lab)
    const answers = await Promise.all([1, 2, 3, 4].map(() => create({ name: 'same' }, {}, id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409, 409])
    expect(await readGroups(lab, id)).toHaveLength(3)
  })
})

describe('Idempotency-Key', () => {
  it('gives the group of the first request again', async () => {
    const id = await givenReachable(lab)
    const headers = { 'Idempotency-Key': `groups-of-${id}` }
    const first = await create({ name: 'once' }, { headers }, id)
    const second = await create({ name: 'once' }, { headers }, id)
    expect([first.status, second.status, second.body]).toEqual([202, 202, first.body])
    expect((await create({ name: 'another' }, { headers }, id)).status).toBe(409)
  })

  it('of a cluster that is gone does not answer for another one that has its name by now', async () => {
    const headers = { 'Idempotency-Key': 'groups-of-reborn' }
    const former = await givenReachable(lab, { name: 'reborn' })
    expect((await create({ name: 'once' }, { headers }, 'reborn')).status).toBe(202)
    await lab.stores.commit([lab.stores.clusters.remove(await readCluster(lab, former))])
    const id = await givenReachable(lab, { name: 'reborn' })
    const answer = await create({ name: 'once' }, { headers }, 'reborn')
    expect([answer.status, answer.text]).toEqual([409, expect.stringContaining('used for another request')])
    expect(await readGroups(lab, id)).toHaveLength(2)
  })

  it('is the same whether the cluster is called by its uuid or its name', async () => {
    const id = await givenReachable(lab, { name: 'by-name' })
    const headers = { 'Idempotency-Key': 'groups-by-name' }
    const first = await create({ name: 'once' }, { headers }, id)
    expect((await create({ name: 'once' }, { headers }, 'by-name')).body).toEqual(first.body)
  })
})
