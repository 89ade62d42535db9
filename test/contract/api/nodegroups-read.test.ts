import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { nodeGroupAnswer, nodeGroupsAnswer } from '../../../functions/api/nodegroups/node-group.answer.schema.ts'
import { changeCluster, givenCluster, readGroups } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, BASE_URL, createApiLab } from '../../support/api/lab.ts'
import { callGroups, changeGroup, givenGroup, givenReachable, readGroup } from '../../support/api/node-groups.ts'
import { ALICE, BOB, READER } from '../../support/api/request.ts'

let lab: ApiLab
let cluster: string

beforeAll(async () => {
  lab = await createApiLab()
  cluster = await givenReachable(lab, { node_count: 2, labels: { keep: '1', other: '2' } })
  for (const name of ['gpu', 'big']) {
    await givenGroup(lab, cluster, { name, role: 'extra', node_count: 3, min_node_count: 2, max_node_count: 5 })
  }
})
afterAll(() => lab.dispose())

const names = (body: { nodegroups: { name: string }[] }): string[] => body.nodegroups.map(({ name }) => name)
const list = (query = '', options = {}) => callGroups(lab, 'GET', `${cluster}/nodegroups${query}`, options)

describe('GET /v1/clusters/{cluster}/nodegroups (magnum-rest.md section 6)', () => {
  it('has exactly the keys of section 6', async () => {
    const { status, body } = await list()
    expect([status, Object.keys(body)]).toEqual([200, ['nodegroups']])
    const keys =
      'uuid name flavor_id image_id node_count role min_node_count max_node_count is_default stack_id status merge_labels'
    expect(Object.keys(body.nodegroups[0]).sort()).toEqual(keys.split(' ').sort())
    nodeGroupsAnswer.parse(body)
  })

  it('begins with the two default groups', async () => {
    const { body } = await list()
    expect(body.nodegroups.slice(0, 2)).toEqual([
      expect.objectContaining({ name: 'default-master', role: 'master', is_default: true, node_count: 1 }),
      expect.objectContaining({ name: 'default-worker', role: 'worker', is_default: true, node_count: 2 }),
    ])
  })

  it('has the true limits', async () => {
    const { body } = await list('?role=extra')
    const limits = { min_node_count: 2, max_node_count: 5 }
    expect(body.nodegroups).toEqual([
      expect.objectContaining({ name: 'gpu', ...limits }),
      expect.objectContaining({ name: 'big', ...limits }),
    ])
  })

  it.each([
    ['', ['default-master', 'default-worker', 'gpu', 'big']],
    ['?role=worker', ['default-worker']],
    ['?role=master', ['default-master']],
    ['?role=nobody', []],
    ['?limit=2', ['default-master', 'default-worker']],
    ['?sort_key=name', ['big', 'default-master', 'default-worker', 'gpu']],
    ['?sort_key=name&sort_dir=desc', ['gpu', 'default-worker', 'default-master', 'big']],
    ['?sort_key=id&sort_dir=desc', ['big', 'gpu', 'default-worker', 'default-master']],
    ['?sort_key=node_count&sort_dir=desc&limit=2', ['big', 'gpu']],
  ])('%s', async (query, expected) => {
    const { status, body } = await list(query)
    expect([status, names(body)]).toEqual([200, expected])
  })

  it.each([
    ['?limit=0', 400],
    ['?limit=x', 400],
    ['?marker=5', 400],
    ['?marker=01930000-0000-7000-8000-000000000000', 404],
    ['?sort_key=colour', 400],
    ['?sort_dir=up', 400],
    ['?name=gpu', 400],
  ])('%s is %i', async (query, expected) => {
    expect((await list(query)).status).toBe(expected)
  })

  it.each(['', '/'])('leads through all pages with every parameter, role included (slash "%s")', async (slash) => {
    const seen: string[] = []
    let target = `${cluster}/nodegroups${slash}?role=extra&limit=1&sort_key=name&sort_dir=desc`
    for (let pages = 0; target !== ''; pages++) {
      expect(pages).toBeLessThan(4)
      const { body } = await callGroups(lab, 'GET', target as `${string}/nodegroups`)
      seen.push(...names(body))
      if (body.next !== undefined) {
        const next = new URL(body.next)
        expect(`${next.origin}${next.pathname}`).toBe(`${BASE_URL}/v1/clusters/${cluster}/nodegroups`)
        const { marker, ...kept } = Object.fromEntries(next.searchParams)
        expect(kept).toEqual({ role: 'extra', limit: '1', sort_key: 'name', sort_dir: 'desc' })
        expect(marker).toBe((await readGroup(lab, cluster, seen.at(-1) ?? '')).id)
      }
      target = body.next === undefined ? '' : body.next.replace(`${BASE_URL}/v1/clusters/`, '')
    }
    expect(seen).toEqual(['gpu', 'big'])
  })

  it('is found by the name of the cluster too', async () => {
    const id = await givenReachable(lab, { name: 'by-name' })
    const { body } = await callGroups(lab, 'GET', 'by-name/nodegroups')
    const stacks = body.nodegroups.map(({ stack_id }: { stack_id: string }) => stack_id)
    expect(stacks).toEqual(body.nodegroups.map(({ uuid }: { uuid: string }) => uuid))
    expect(stacks).not.toContain(id)
  })
})

describe('GET /v1/clusters/{cluster}/nodegroups/{nodegroup}', () => {
  it('shows the whole object, by id and by name', async () => {
    const { id, number } = await readGroup(lab, cluster, 'gpu')
    const byId = await callGroups(lab, 'GET', `${cluster}/nodegroups/${id}`)
    const byName = await callGroups(lab, 'GET', `${cluster}/nodegroups/gpu/`)
    expect(byName.body).toEqual(byId.body)
    expect(nodeGroupAnswer.parse(byId.body)).toEqual({
      id: number,
      uuid: id,
      name: 'gpu',
      cluster_id: cluster,
      project_id: 'blue',
      docker_volume_size: null,
      labels: { keep: '1', other: '2' },
      links: [
        { href: `${BASE_URL}/v1/clusters/${cluster}/nodegroups/${id}`, rel: 'self' },
        { href: `${BASE_URL}/clusters/${cluster}/nodegroups/${id}`, rel: 'bookmark' },
      ],
      flavor_id: null,
      image_id: expect.anything(),
      node_addresses: [],
      node_count: 3,
      role: 'extra',
      min_node_count: 2,
      max_node_count: 5,
      is_default: false,
      stack_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      status: 'CREATE_IN_PROGRESS',
      status_reason: null,
      version: null,
      merge_labels: false,
      labels_overridden: {},
      labels_added: {},
      labels_skipped: {},
      node_labels: {},
      node_taints: [],
      created_at: expect.stringMatching(/\+00:00$/),
      updated_at: null,
    })
  })

  it('counts from 1: the masters, the workers, then the others', async () => {
    expect((await readGroups(lab, cluster)).map(({ number }) => number)).toEqual([1, 2, 3, 4])
  })

  it.each([9, 12, 13, 14])('has stack_id, its own, and cluster_id in version 1.%i', async (minor) => {
    const { body } = await callGroups(lab, 'GET', `${cluster}/nodegroups/gpu`, { minor })
    expect([body.stack_id, body.cluster_id]).toEqual([body.uuid, cluster])
  })

  it("compares labels with the cluster's", async () => {
    await changeGroup(lab, cluster, 'big', { labels: { other: '9', mine: '3' } })
    const { body } = await callGroups(lab, 'GET', `${cluster}/nodegroups/big`)
    expect([body.labels_overridden, body.labels_added, body.labels_skipped]).toEqual([
      { other: '2' },
      { mine: '3' },
      { keep: '1' },
    ])
  })

  it('tells why it failed, its addresses and its version (section 11 row 23)', async () => {
    const told = { status: 'UPDATE_FAILED', statusReason: 'No quota is left for cores.', version: 'v1.36.0' } as const
    await changeGroup(lab, cluster, 'gpu', { ...told, nodeAddresses: ['192.0.2.7'] })
    const { body } = await callGroups(lab, 'GET', `${cluster}/nodegroups/gpu`)
    expect(body).toMatchObject({
      status: 'UPDATE_FAILED',
      status_reason: 'No quota is left for cores.',
      version: 'v1.36.0',
      node_addresses: ['192.0.2.7'],
    })
  })

  it.each(['nobody', '01930000-0000-7000-8000-000000000000', '01930000-0000-7000-8000-00000000000A'])(
    '%s is 404',
    async (ident) => {
      const { status, body } = await callGroups(lab, 'GET', `${cluster}/nodegroups/${ident}`)
      expect([status, body.errors[0].detail]).toEqual([404, `NodeGroup "${ident}" could not be found.`])
    },
  )

  it('is not that of another cluster', async () => {
    const other = await givenReachable(lab)
    const { id } = await readGroup(lab, cluster, 'gpu')
    expect((await callGroups(lab, 'GET', `${other}/nodegroups/${id}`)).status).toBe(404)
    expect((await callGroups(lab, 'GET', `01930000-0000-7000-8000-000000000000/nodegroups/gpu`)).status).toBe(404)
  })
})

describe('who may read node groups', () => {
  const targets = [() => `${cluster}/nodegroups` as const, () => `${cluster}/nodegroups/gpu` as const]

  it.each([
    ['a reader of the project', READER, 200],
    ['a member of another project', BOB, 404],
    ['an administrator of another project', { ...ALICE, projectId: 'green' }, 200],
    ['somebody without a role', { ...READER, roles: [] }, 403],
  ] as const)('%s', async (_, as, expected) => {
    for (const target of targets) {
      expect((await callGroups(lab, 'GET', target(), { as: { ...as, roles: [...as.roles] } })).status).toBe(expected)
    }
  })

  it.each([1, 8])('is nobody in version 1.%i: 406', async (minor) => {
    for (const target of targets) expect((await callGroups(lab, 'GET', target(), { minor })).status).toBe(406)
  })
})

describe('node groups of a cluster whose nodes are only counted', () => {
  it('are the two default ones, with as many nodes as were seen', async () => {
    const id = await givenCluster(lab, { body: { kubeconfig: kubeconfigText() } })
    const seen = {
      healthStatus: 'HEALTHY',
      healthReason: {},
      version: 'v1.36.0',
      nodeCount: 4,
      masterCount: 3,
    } as const
    await lab.stores.clusters.observe({ projectId: 'blue', id }, { ...seen, observedAt: new Date().toISOString() })
    const { body } = await callGroups(lab, 'GET', `${id}/nodegroups`)
    expect(body.nodegroups.map((group: Record<string, unknown>) => [group.name, group.node_count])).toEqual([
      ['default-master', 3],
      ['default-worker', 4],
    ])
    const { body: one } = await callGroups(lab, 'GET', `${id}/nodegroups/default-worker`)
    expect([one.node_count, one.node_addresses]).toEqual([4, []])
  })

  it("can't be changed: 400 naming the driver", async () => {
    const id = await givenCluster(lab, { body: { kubeconfig: kubeconfigText('https://other.example.com:6443') } })
    await changeCluster(lab, id, { status: 'CREATE_COMPLETE' })
    const answers = await Promise.all([
      callGroups(lab, 'POST', `${id}/nodegroups`, { body: { name: 'pool' } }),
      callGroups(lab, 'PATCH', `${id}/nodegroups/default-worker`, {
        body: [{ op: 'replace', path: '/max_node_count', value: 5 }],
      }),
      callGroups(lab, 'DELETE', `${id}/nodegroups/default-worker`),
    ])
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400])
    expect(answers[0]?.body.errors[0].detail).toContain('kubeconfig@1')
    expect(answers[1]?.body.errors[0].detail).toContain('kubeconfig@1')
  })
})
