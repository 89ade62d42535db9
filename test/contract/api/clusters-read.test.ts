import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { changeCluster, givenCluster, givenFederation, readGroups } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, BASE_URL, createApiLab } from '../../support/api/lab.ts'
import { READER } from '../../support/api/request.ts'

let lab: ApiLab
/** Oldest first. */
let ids: string[]
beforeAll(async () => {
  lab = await createApiLab()
  ids = []
  for (const name of ['carol', 'alan', 'bert', 'twin', 'twin']) ids.push(await givenCluster(lab, { name }))
})
afterAll(() => lab.dispose())

const get = (target: string, version = '1.1') =>
  lab.call('GET', target, { headers: { 'OpenStack-API-Version': `container-infra ${version}` } })

const idsOf = async (target: string): Promise<string[]> =>
  (await get(target)).body.clusters.map(({ uuid }: { uuid: string }) => uuid)

/** magnum-rest.md 4.2, from 1.13 on. */
const PLAIN = (
  'uuid name cluster_template_id keypair node_count master_count docker_volume_size labels master_flavor_id flavor_id ' +
  'create_timeout links cluster_id status health_status merge_labels'
).split(' ')
const FULL = [
  ...PLAIN,
  ...(
    'status_reason health_status_reason discovery_url api_address coe_version container_version project_id user_id ' +
    'node_addresses master_addresses fixed_network fixed_subnet floating_ip_enabled labels_overridden labels_added ' +
    'labels_skipped master_lb_enabled created_at updated_at'
  ).split(' '),
]
const OURS = ['driver', 'conditions', 'federations', 'operation', 'tls_verify', 'management', 'management_cluster']

describe('section 4.2: representation', () => {
  it('of the plain list has exactly Magnum’s keys', async () => {
    const { body } = await get('/v1/clusters', 'latest')
    expect(Object.keys(body.clusters[0]).sort()).toEqual([...PLAIN].sort())
  })

  it.each(['/v1/clusters/detail', 'one'])('of %s has Magnum’s keys and ours', async (target) => {
    const { body } = await get(target === 'one' ? `/v1/clusters/${ids[0]}` : target, 'latest')
    expect(Object.keys(body.clusters?.[0] ?? body).sort()).toEqual([...FULL, ...OURS].sort())
  })

  it.each([
    ['1.12', 'stack_id', 'cluster_id'],
    ['1.13', 'cluster_id', 'stack_id'],
  ])('at %s has %s and not %s', async (version, has, lacks) => {
    const { body } = await get(`/v1/clusters/${ids[0]}`, version)
    expect([body[has], lacks in body]).toEqual([ids[0], false])
  })

  it('has an offset in its times, and null for what never was', async () => {
    const { body } = await get(`/v1/clusters/${ids[0]}`)
    expect([body.created_at, body.updated_at]).toEqual([expect.stringMatching(/^\d{4}-.*\+00:00$/), null])
  })

  it('links to itself', async () => {
    const { body } = await get(`/v1/clusters/${ids[0]}`)
    expect(body.links).toEqual([
      { href: `${BASE_URL}/v1/clusters/${ids[0]}`, rel: 'self' },
      { href: `${BASE_URL}/clusters/${ids[0]}`, rel: 'bookmark' },
    ])
  })

  it('has faults only when something failed', async () => {
    const id = await givenCluster(lab)
    await changeCluster(lab, id, { status: 'CREATE_FAILED', statusReason: 'The token was refused.' })
    expect((await get(`/v1/clusters/${id}`)).body.faults).toEqual({ 'default-master': 'The token was refused.' })
    expect((await get('/v1/clusters/detail')).body.clusters.some((cluster: object) => 'faults' in cluster)).toBe(false)
  })

  it('has the faults of those node groups that failed, in show only', async () => {
    const id = await givenCluster(lab)
    const [, worker] = await readGroups(lab, id)
    if (worker === undefined) throw new Error('there is no group of workers')
    const fault = { status: 'UPDATE_FAILED', statusReason: 'No more room.' } as const
    await lab.stores.commit([lab.stores.nodeGroups.change(worker, fault)])
    expect((await get(`/v1/clusters/${id}`)).body).not.toHaveProperty('faults')
    await changeCluster(lab, id, { status: 'UPDATE_FAILED', statusReason: 'default-worker failed.' })
    expect((await get(`/v1/clusters/${id}`)).body.faults).toEqual({ 'default-worker': 'No more room.' })
  })

  it('shows counts and addresses over all node groups of a cluster whose nodes are made', async () => {
    const id = await givenCluster(lab)
    const nodes = { nodeCount: 5, masterCount: 3, nodeAddresses: ['10.0.0.2'], masterAddresses: ['10.0.0.1'] }
    await changeCluster(lab, id, { nodes })
    expect((await get(`/v1/clusters/${id}`)).body).toMatchObject({
      node_count: 5,
      master_count: 3,
      node_addresses: ['10.0.0.2'],
      master_addresses: ['10.0.0.1'],
    })
  })

  it('shows what was seen of a cluster whose nodes are only counted', async () => {
    const id = await givenCluster(lab, { body: { kubeconfig: kubeconfigText() } })
    await lab.stores.clusters.observe(
      { projectId: 'blue', id },
      {
        observedAt: '2026-11-27T10:00:00.000Z',
        healthStatus: 'UNHEALTHY',
        healthReason: { api: 'ok', 'n1.Ready': 'False' },
        version: 'v1.36.2+k3s1',
        nodeCount: 3,
        masterCount: 1,
      },
    )
    expect((await get(`/v1/clusters/${id}`)).body).toMatchObject({
      health_status: 'UNHEALTHY',
      health_status_reason: { api: 'ok', 'n1.Ready': 'False' },
      coe_version: 'v1.36.2+k3s1',
      node_count: 3,
      master_count: 1,
    })
  })

  it('says which federations use it, and as what', async () => {
    const { id, host } = await givenFederation(lab)
    expect((await get(`/v1/clusters/${host}`)).body.federations).toEqual([{ uuid: id, role: 'host' }])
  })

  it('shows what runs', async () => {
    const id = await givenCluster(lab, { status: 'CREATE_IN_PROGRESS' })
    const { operation } = (await get(`/v1/clusters/${id}`)).body
    expect(operation).toMatchObject({ kind: 'create', attempt: 1, task: null, queued: 0 })
  })
})

describe('section 2: identifiers', () => {
  it.each<[string, () => string, number]>([
    ['an id', () => `${ids[0]}`, 200],
    ['a name', () => 'carol', 200],
    ['a name that two have', () => 'twin', 409],
    ['a name that nobody has', () => 'nobody', 404],
    ['an id that nobody has', () => '00000000-0000-4000-8000-000000000009', 404],
    ['an id in capitals', () => `${ids[0]?.toUpperCase()}`, 404],
    ['an id without dashes', () => `${ids[0]?.replaceAll('-', '')}`, 404],
  ])('%s', async (_what, ident, status) => {
    expect((await get(`/v1/clusters/${ident()}`)).status).toBe(status)
  })

  it('a name that looks like an id is accepted and is no name', async () => {
    const name = 'ABCDEFAB-0000-4000-8000-000000000001'
    await givenCluster(lab, { name })
    expect((await get(`/v1/clusters/${name}`)).status).toBe(404)
  })

  it('names the ids of an ambiguous name', async () => {
    const { body } = await get('/v1/clusters/twin')
    expect(body.errors[0].detail).toContain(`${ids[3]} (CREATE_COMPLETE) and ${ids[4]} (CREATE_COMPLETE)`)
  })
})

describe('section 2: lists', () => {
  it('are in order of creation', async () => {
    expect((await idsOf('/v1/clusters')).slice(0, 5)).toEqual(ids)
  })

  it('sort by a column, ids second', async () => {
    const sorted = (await idsOf('/v1/clusters?sort_key=name')).filter((id) => ids.includes(id))
    expect(sorted).toEqual([ids[1], ids[2], ids[0], ids[3], ids[4]])
  })

  it('sort downwards', async () => {
    const sorted = (await idsOf('/v1/clusters?sort_dir=desc')).filter((id) => ids.includes(id))
    expect(sorted).toEqual([...ids].reverse())
  })

  it('have next exactly when the page is full', async () => {
    const total = (await idsOf('/v1/clusters')).length
    const nexts = await Promise.all([total - 1, total, total + 1].map((limit) => get(`/v1/clusters?limit=${limit}`)))
    expect(nexts.map(({ body }) => 'next' in body)).toEqual([true, true, false])
  })

  it('have a next that leads on, in the same shape and order', async () => {
    const { body } = await get('/v1/clusters/detail?limit=2&sort_key=name&sort_dir=desc')
    expect(body.next).toBe(
      `${BASE_URL}/v1/clusters/detail?sort_key=name&sort_dir=desc&limit=2&marker=${body.clusters[1].uuid}`,
    )
  })

  it.each(['', '&sort_key=name', '&sort_dir=desc'])('give everything once over pages%s', async (order) => {
    const seen: string[] = []
    for (let target = `/v1/clusters?limit=2${order}`; target !== ''; ) {
      const { body } = await get(target)
      seen.push(...body.clusters.map(({ uuid }: { uuid: string }) => uuid))
      target = (body.next ?? '').replace(BASE_URL, '')
    }
    expect(seen).toEqual(await idsOf(`/v1/clusters?limit=1000${order}`))
  })

  it.each([
    ['limit=0', 400, '"limit" must be an integer greater than 0'],
    ['limit=-1', 400, '"limit"'],
    ['limit=x', 400, '"limit"'],
    ['limit=', 400, '"limit"'],
    ['marker=x', 400, '"marker" must be the UUID'],
    ['marker=00000000-0000-4000-8000-000000000009', 404, 'could not be found'],
    ['marker=00000000-0000-4000-8000-000000000009&sort_key=name', 404, 'could not be found'],
    ['sort_key=node_count', 400, '"sort_key" "node_count" is unknown'],
    ['sort_key=__proto__', 400, '"sort_key"'],
    ['sort_dir=up', 400, '"sort_dir" must be "asc" or "desc"'],
    ['name=a', 400, 'Unknown query parameter: "name"'],
  ])('refuse %s', async (query, status, detail) => {
    const answer = await get(`/v1/clusters?${query}`)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([status, expect.stringContaining(detail)])
  })

  it('take a limit above the maximum as the maximum', async () => {
    expect((await get('/v1/clusters?limit=5000')).status).toBe(200)
  })

  it('are for readers too (section 9.4)', async () => {
    expect((await lab.call('GET', '/v1/clusters', { as: READER })).status).toBe(200)
  })
})
