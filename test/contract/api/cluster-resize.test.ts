import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import type { NodeGroup } from '../../../functions/core/cluster/node-group.ts'
import { changeCluster, givenCluster, readCluster, readGroups } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { READER } from '../../support/api/request.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const resize = (id: string, body: unknown, version = '1.10') =>
  lab.call('POST', `/v1/clusters/${id}/actions/resize`, {
    body,
    headers: { 'OpenStack-API-Version': `container-infra ${version}` },
  })

/** Another group of workers beside the default ones. */
const givenGroup = async (id: string, fields: Partial<NodeGroup> = {}): Promise<NodeGroup> => {
  const [, worker] = await readGroups(lab, id)
  if (worker === undefined) throw new Error('there is no group of workers')
  const group = { ...worker, id: lab.ports.newId(), number: 3, name: 'more', isDefault: false, ...fields }
  await lab.stores.commit([lab.stores.nodeGroups.insert(group)])
  return group
}

/** What refusals leave as it is, so that one cluster is enough for all of them. */
const givenRefusing = async (): Promise<string> => {
  const id = await givenCluster(lab, { body: { driver: 'memory@1', master_lb_enabled: true } })
  await givenGroup(id, { minNodeCount: 2, maxNodeCount: 8, nodeCount: 3 })
  await givenGroup(id, { number: 4, name: 'going', status: 'DELETE_IN_PROGRESS' })
  return id
}
let refusing: string
beforeAll(async () => {
  refusing = await givenRefusing()
})

describe('section 4.5: resize', () => {
  it('is 202 with the uuid only', async () => {
    const id = await givenCluster(lab)
    const { status, body } = await resize(id, { node_count: 3 })
    expect([status, body]).toEqual([202, { uuid: id }])
  })

  it('keeps why an upgrade of the group failed: a resize does not repair that (decision 0025)', async () => {
    const id = await givenCluster(lab)
    const { name } = await givenGroup(id, {
      status: 'UPDATE_FAILED',
      statusReason: 'No such image.',
      failedTask: 'upgrade',
    })
    await resize(id, { node_count: 3, nodegroup: name })
    const headers = { 'OpenStack-API-Version': 'container-infra latest' }
    const { body } = await lab.call('GET', `/v1/clusters/${id}/nodegroups/${name}`, { headers })
    expect([body.status, body.status_reason]).toEqual(['UPDATE_IN_PROGRESS', null])
    expect((await readGroups(lab, id)).at(-1)?.statusReason).toBe('No such image.')
  })

  it('shows the number and UPDATE_IN_PROGRESS at once, on cluster and group, and starts the flow', async () => {
    const id = await givenCluster(lab)
    await resize(id, { node_count: 3, nodes_to_remove: ['n1', 'n2'] })
    const [master, worker] = await readGroups(lab, id)
    expect([master?.status, worker]).toMatchObject([
      'CREATE_COMPLETE',
      { status: 'UPDATE_IN_PROGRESS', nodeCount: 3, reachedCount: 1 },
    ])
    expect((await lab.call('GET', `/v1/clusters/${id}`)).body).toMatchObject({
      status: 'UPDATE_IN_PROGRESS',
      status_reason: null,
      node_count: 3,
      master_count: 1,
      operation: { kind: 'update', task: 'resize', queued: 0 },
    })
    expect((await readCluster(lab, id)).task).toEqual({
      kind: 'resize',
      nodeGroupId: worker?.id,
      nodeCount: 3,
      nodesToRemove: ['n1', 'n2'],
    })
    expect(lab.executions.starts.at(-1)).toMatchObject({ flow: 'cluster-update', input: { entityId: id } })
  })

  it.each<['id' | 'name']>([['id'], ['name']])('is of the group named by %s', async (by) => {
    const id = await givenCluster(lab)
    const group = await givenGroup(id)
    await resize(id, { node_count: 4, nodegroup: group[by], nodes_to_remove: null })
    const counts = (await readGroups(lab, id)).map(({ nodeCount, status }) => [nodeCount, status])
    expect(counts).toEqual([
      [1, 'CREATE_COMPLETE'],
      [1, 'CREATE_COMPLETE'],
      [4, 'UPDATE_IN_PROGRESS'],
    ])
    expect((await readCluster(lab, id)).nodes).toMatchObject({ nodeCount: 5, masterCount: 1 })
  })

  it('waits while another runs, in order, each with its nodes (section 11.13)', async () => {
    const id = await givenCluster(lab)
    await resize(id, { node_count: 5, nodes_to_remove: ['z'] })
    const before = lab.executions.starts.length
    await resize(id, { node_count: 4, nodes_to_remove: ['a'] })
    await resize(id, { node_count: 3, nodes_to_remove: ['b'] })
    const { task, queue, nodes } = await readCluster(lab, id)
    expect([task, ...queue.map((queued) => queued.task)]).toMatchObject([
      { nodeCount: 5, nodesToRemove: ['z'] },
      { nodeCount: 4, nodesToRemove: ['a'] },
      { nodeCount: 3, nodesToRemove: ['b'] },
    ])
    expect([nodes?.nodeCount, lab.executions.starts.length]).toEqual([3, before])
    expect((await lab.call('GET', `/v1/clusters/${id}`)).body.operation.queued).toBe(2)
  })

  it('takes the place of a number that is not reached yet, running or waiting (decision 0024)', async () => {
    const id = await givenCluster(lab)
    await resize(id, { node_count: 5000 })
    const first = await readCluster(lab, id)
    await resize(id, { node_count: 3 })
    const second = await readCluster(lab, id)
    expect([second.task, second.queue]).toMatchObject([{ nodeCount: 3 }, []])
    expect(second.operation?.supersedes).toEqual([{ flow: 'cluster-update', name: `${first.operation?.id}-1` }])
    expect(lab.executions.starts.at(-1)).toMatchObject({ input: { operationId: second.operation?.id } })
    const [, worker] = await readGroups(lab, id)
    expect(worker).toMatchObject({ nodeCount: 3, reachedCount: 1 })

    await resize(id, { node_count: 2, nodes_to_remove: ['a'] })
    await resize(id, { node_count: 6 })
    await resize(id, { node_count: 7 })
    const last = await readCluster(lab, id)
    const tasks = [last.task, ...last.queue.map((queued) => queued.task)]
    expect(tasks).toMatchObject([{ nodeCount: 2, nodesToRemove: ['a'] }, { nodeCount: 7 }])
  })

  it('waits for a number of another node group', async () => {
    const id = await givenCluster(lab)
    const group = await givenGroup(id)
    await resize(id, { node_count: 5 })
    await resize(id, { node_count: 2, nodegroup: group.id })
    expect((await readCluster(lab, id)).queue).toMatchObject([{ task: { nodeCount: 2 } }])
  })

  it('waits again after twenty that took the place of one another', async () => {
    const id = await givenCluster(lab)
    for (let count = 1; count <= 22; count += 1) await resize(id, { node_count: count })
    const { operation, queue } = await readCluster(lab, id)
    expect([operation?.supersedes.length, queue.length]).toEqual([20, 1])
  })

  it('ten at once, each with a node of its own: none is lost', async () => {
    const id = await givenCluster(lab)
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => resize(id, { node_count: n + 1, nodes_to_remove: [`node-${n}`] })),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    const { task, queue } = await readCluster(lab, id)
    const counts = [task, ...queue.map((queued) => queued.task)].map((one) =>
      one?.kind === 'resize' ? one.nodeCount : 0,
    )
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 10 }, (_, n) => n + 1))
  })

  it('is refused with 409 when too much waits already', async () => {
    const id = await givenCluster(lab)
    await resize(id, { node_count: 2, nodes_to_remove: ['a'] })
    const nodes_to_remove = Array.from({ length: 1000 }, (_, n) => `node-${n}`.padEnd(100, 'x'))
    expect((await resize(id, { node_count: 3, nodes_to_remove })).status).toBe(202)
    const { status, body } = await resize(id, { node_count: 4, nodes_to_remove })
    expect([status, body.errors[0].detail]).toEqual([409, expect.stringContaining('runs and 1 change wait')])
  })

  it('is refused with 409 when what runs and it name more nodes than a cluster has room for', async () => {
    const id = await givenCluster(lab)
    const nodes_to_remove = Array.from({ length: 1000 }, (_, n) => `node-${n}`.padEnd(100, 'x'))
    expect((await resize(id, { node_count: 2, nodes_to_remove })).status).toBe(202)
    const { status, body } = await resize(id, { node_count: 3, nodes_to_remove })
    expect([status, body.errors[0].detail]).toEqual([409, expect.stringContaining('runs and 0 changes wait')])
    expect((await readCluster(lab, id)).queue).toEqual([])
  })

  it.each<[Cluster['status'], number]>([
    ['CREATE_COMPLETE', 202],
    ['UPDATE_COMPLETE', 202],
    ['UPDATE_FAILED', 202],
    ['UPDATE_IN_PROGRESS', 202],
    ['CREATE_IN_PROGRESS', 409],
    ['CREATE_FAILED', 409],
    ['DELETE_IN_PROGRESS', 409],
    ['DELETE_FAILED', 409],
  ])('on %s is %i', async (status, expected) => {
    expect((await resize(await givenCluster(lab, { status }), { node_count: 2 })).status).toBe(expected)
  })

  type Row = [what: string, body: unknown, version: string, status: number, detail: string]

  it.each<Row>([
    ['below 1.7', { node_count: 2 }, '1.6', 406, ''],
    ['no body', undefined, '1.10', 400, 'must be a JSON object'],
    ['no count', {}, '1.10', 400, '"node_count" must be an integer from 0'],
    ['a null count', { node_count: null }, '1.10', 400, '"node_count" must be an integer from 0'],
    ['a negative count', { node_count: -1 }, '1.10', 400, '"node_count" must be an integer from 0'],
    ['no nodes below 1.10', { node_count: 0 }, '1.9', 400, 'Version 1.10 allows 0'],
    ['an unknown attribute', { node_count: 2, colour: 'red' }, '1.10', 400, 'Unknown attribute: "colour"'],
    [
      'nodes that are no list',
      { node_count: 2, nodes_to_remove: 'n' },
      '1.10',
      400,
      '"nodes_to_remove" must be a list',
    ],
    [
      'a node that is no text',
      { node_count: 2, nodes_to_remove: [5] },
      '1.10',
      400,
      '"nodes_to_remove.0" must be text',
    ],
    ['an unknown group', { node_count: 2, nodegroup: 'none' }, '1.10', 404, 'NodeGroup "none" could not be found'],
    [
      'fewer than the group may have',
      { node_count: 1, nodegroup: 'more' },
      '1.10',
      400,
      'at least "min_node_count", 2',
    ],
    ['more than the group may have', { node_count: 9, nodegroup: 'more' }, '1.10', 400, 'at most "max_node_count", 8'],
    [
      'a group that is being deleted',
      { node_count: 2, nodegroup: 'going' },
      '1.10',
      409,
      '"going" is DELETE_IN_PROGRESS',
    ],
    [
      'masters that the driver keeps',
      { node_count: 3, nodegroup: 'default-master' },
      '1.10',
      400,
      'can not be changed',
    ],
    ['an even number of masters', { node_count: 2, nodegroup: 'default-master' }, '1.10', 400, 'must be odd'],
    ['no masters', { node_count: 0, nodegroup: 'default-master' }, '1.10', 400, 'must be one at least. Use 1.'],
  ])('refuses %s', async (...[, body, version, status, detail]) => {
    const id = refusing
    const before = await readCluster(lab, id)
    const answer = await resize(id, body, version)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([status, expect.stringContaining(detail)])
    expect(await readCluster(lab, id)).toEqual(before)
  })

  it('takes no nodes from 1.10 on, and a count as text', async () => {
    expect((await resize(await givenCluster(lab), { node_count: '0' })).status).toBe(202)
  })

  it('takes 0 as the most for no limit', async () => {
    const id = await givenCluster(lab)
    await givenGroup(id, { maxNodeCount: 0 })
    expect((await resize(id, { node_count: 50, nodegroup: 'more' })).status).toBe(202)
  })

  it.each([
    ['only counts nodes', { kubeconfig: kubeconfigText() }, 'does not manage nodes'],
    ['can not change their number', { driver: 'rigid@1' }, "The driver rigid@1 of this cluster can't"],
  ])('of a cluster whose driver %s is 400 naming it', async (_what, body, detail) => {
    const { status, body: answer } = await resize(await givenCluster(lab, { body }), { node_count: 2 })
    expect([status, answer.errors[0].detail]).toEqual([400, expect.stringContaining(detail)])
  })

  it('of an unknown cluster is 404', async () => {
    expect((await resize('nobody', { node_count: 2 })).status).toBe(404)
  })

  it('forgets why the change before it failed', async () => {
    const id = await givenCluster(lab)
    await changeCluster(lab, id, { status: 'UPDATE_FAILED', statusReason: 'No room.' })
    await resize(id, { node_count: 2 })
    expect((await lab.call('GET', `/v1/clusters/${id}`)).body.status_reason).toBeNull()
  })

  it('section 9.4: by a reader is 403 naming the rule', async () => {
    const { status, body } = await lab.call('POST', `/v1/clusters/${await givenCluster(lab)}/actions/resize`, {
      as: READER,
      body: { node_count: 2 },
      headers: { 'OpenStack-API-Version': 'container-infra 1.7' },
    })
    expect([status, body.errors[0].detail]).toEqual([403, expect.stringContaining('cluster:resize')])
  })
})
