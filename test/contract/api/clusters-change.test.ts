import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import { changeCluster, givenCluster, givenFederation, readCluster, readGroups } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { ALICE, READER } from '../../support/api/request.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const patch = (id: string, body: unknown, version = '1.14', query = '') =>
  lab.call('PATCH', `/v1/clusters/${id}${query}`, {
    body,
    headers: { 'OpenStack-API-Version': `container-infra ${version}` },
  })

const givenExternal = async (status: Cluster['status'] = 'CREATE_COMPLETE'): Promise<string> => {
  const { body } = await lab.call('POST', '/v1/clusters', { body: { kubeconfig: kubeconfigText() } })
  await changeCluster(lab, body.uuid, { status, ...(status.endsWith('_IN_PROGRESS') ? {} : { operation: null }) })
  return body.uuid
}

const credential = async (id: string, purpose: string) =>
  JSON.parse(
    (await lab.stores.credentials.get({ projectId: 'blue', owner: `cluster/${id}`, purpose }))?.reveal() ?? 'null',
  )

const OTHER = kubeconfigText('https://new.example.com:6443')
const newKubeconfig = { op: 'replace', path: '/kubeconfig', value: OTHER }

describe('section 4.3: PATCH of the kubeconfig', () => {
  it.each<[Cluster['status'], string, string]>([
    ['CREATE_COMPLETE', 'UPDATE_IN_PROGRESS', 'update'],
    ['UPDATE_COMPLETE', 'UPDATE_IN_PROGRESS', 'update'],
    ['UPDATE_FAILED', 'UPDATE_IN_PROGRESS', 'update'],
    ['CREATE_FAILED', 'CREATE_IN_PROGRESS', 'create'],
  ])('on %s leads to %s by operation %s', async (before, after, kind) => {
    const id = await givenExternal(before)
    expect((await patch(id, [newKubeconfig])).body).toEqual({ uuid: id })
    const { status, operation, task } = await readCluster(lab, id)
    expect([status, operation?.kind, lab.executions.starts.at(-1)?.flow]).toEqual([after, kind, `cluster-${kind}`])
    expect(task).toEqual(kind === 'update' ? { kind: 'credential' } : null)
  })

  it.each<Cluster['status']>(['CREATE_IN_PROGRESS', 'UPDATE_IN_PROGRESS', 'DELETE_IN_PROGRESS', 'DELETE_FAILED'])(
    'on %s is 409',
    async (status) => {
      const answer = await patch(await givenExternal(status), [newKubeconfig])
      expect([answer.status, answer.body.errors[0].detail]).toEqual([409, expect.stringContaining(status)])
    },
  )

  it('keeps the old credential and endpoint until the new one is proved', async () => {
    const id = await givenExternal()
    await patch(id, [newKubeconfig])
    expect((await credential(id, 'kubeconfig')).server).toBe('https://api.example.com:6443')
    expect((await credential(id, 'kubeconfig-candidate')).server).toBe('https://new.example.com:6443')
    expect((await readCluster(lab, id)).endpoint?.server).toBe('https://api.example.com:6443')
  })

  it('replaces those of a registration that failed', async () => {
    const id = await givenExternal('CREATE_FAILED')
    await patch(id, [newKubeconfig])
    expect((await readGroups(lab, id)).map(({ status }) => status)).toEqual([
      'CREATE_IN_PROGRESS',
      'CREATE_IN_PROGRESS',
    ])
    expect((await credential(id, 'kubeconfig')).server).toBe('https://new.example.com:6443')
    expect((await readCluster(lab, id)).endpoint?.server).toBe('https://new.example.com:6443')
  })

  it('takes a context and the insecure flag beside it', async () => {
    const insecure = kubeconfigText('https://new.example.com', ', insecure-skip-tls-verify: true')
    const operations = [
      { op: 'replace', path: '/kubeconfig', value: insecure },
      { op: 'replace', path: '/context', value: 'demo' },
      { op: 'replace', path: '/insecure_skip_tls_verify', value: true },
    ]
    expect((await patch(await givenExternal(), operations)).status).toBe(202)
  })
})

describe('section 4.3: PATCH of health', () => {
  it('is stored at once and starts nothing', async () => {
    const id = await givenCluster(lab)
    const before = lab.executions.starts.length
    const operations = [
      { op: 'replace', path: '/health_status', value: 'UNHEALTHY' },
      { op: 'replace', path: '/health_status_reason', value: "{'api': 'ok', 'n1.Ready': 'False'}" },
    ]
    expect((await patch(id, operations)).status).toBe(202)
    expect((await lab.call('GET', `/v1/clusters/${id}`)).body).toMatchObject({
      status: 'CREATE_COMPLETE',
      health_status: 'UNHEALTHY',
      health_status_reason: { api: 'ok', 'n1.Ready': 'False' },
    })
    expect(lab.executions.starts).toHaveLength(before)
  })

  it('takes a JSON object for the reason', async () => {
    const id = await givenCluster(lab)
    await patch(id, [{ op: 'replace', path: '/health_status_reason', value: { api: 'ok' } }])
    expect((await readCluster(lab, id)).observation?.healthReason).toEqual({ api: 'ok' })
  })

  it('changes no count (section 11.16)', async () => {
    const id = await givenCluster(lab)
    const nodes = { nodeCount: 7, masterCount: 3, nodeAddresses: [], masterAddresses: [] }
    await changeCluster(lab, id, { nodes })
    const before = await readGroups(lab, id)
    await patch(id, [{ op: 'replace', path: '/health_status', value: 'UNKNOWN' }])
    const { body } = await lab.call('GET', `/v1/clusters/${id}`)
    expect(body).toMatchObject({ status: 'CREATE_COMPLETE', health_status: 'UNKNOWN', node_count: 7, master_count: 3 })
    expect(await readGroups(lab, id)).toEqual(before)
  })

  it('keeps what was counted of a cluster whose nodes are not made', async () => {
    const id = await givenExternal()
    const seen = {
      healthStatus: 'HEALTHY',
      healthReason: {},
      version: 'v1.36.0',
      nodeCount: 7,
      masterCount: 3,
    } as const
    await lab.stores.clusters.observe({ projectId: 'blue', id }, { ...seen, observedAt: '2026-11-27T10:00:00.000Z' })
    await patch(id, [{ op: 'replace', path: '/health_status', value: 'UNKNOWN' }])
    expect((await lab.call('GET', `/v1/clusters/${id}`)).body).toMatchObject({
      health_status: 'UNKNOWN',
      node_count: 7,
    })
  })

  it('section 9.4: needs its own rule', async () => {
    const policy = {
      decide: (_: unknown, rule: string) => ({ isAllowed: rule !== 'cluster:update_health_status', policies: [] }),
    }
    const body = [{ op: 'replace', path: '/health_status', value: 'HEALTHY' }]
    const answer = await callApp(lab.appWith({ policy }), 'PATCH', `/v1/clusters/${await givenCluster(lab)}`, { body })
    expect([answer.status, answer.body.errors[0].detail]).toEqual([
      403,
      expect.stringContaining('cluster:update_health_status'),
    ])
  })
})

describe('section 4.3: PATCH', () => {
  it('of the node count resizes the default group of workers, and shows it at once', async () => {
    const id = await givenCluster(lab)
    expect((await patch(id, [{ op: 'replace', path: '/node_count', value: 4 }])).body).toEqual({ uuid: id })
    const [master, worker] = await readGroups(lab, id)
    expect(await readCluster(lab, id)).toMatchObject({
      status: 'UPDATE_IN_PROGRESS',
      operation: { kind: 'update' },
      task: { kind: 'resize', nodeGroupId: worker?.id, nodeCount: 4, nodesToRemove: [] },
      nodes: { nodeCount: 4, masterCount: 1 },
    })
    expect(worker).toMatchObject({ status: 'UPDATE_IN_PROGRESS', nodeCount: 4, reachedCount: 1 })
    expect(master?.status).toBe('CREATE_COMPLETE')
    expect(lab.executions.starts.at(-1)).toMatchObject({ flow: 'cluster-update', input: { entityId: id } })
  })

  it('of the node count is not of the total', async () => {
    const id = await givenCluster(lab)
    const [, worker] = await readGroups(lab, id)
    if (worker === undefined) throw new Error('there is no group of workers')
    const more = { ...worker, id: lab.ports.newId(), number: 3, name: 'more', isDefault: false, nodeCount: 5 }
    await lab.stores.commit([lab.stores.nodeGroups.insert(more)])
    await patch(id, [{ op: 'replace', path: '/node_count', value: 2 }])
    expect((await lab.call('GET', `/v1/clusters/${id}`)).body).toMatchObject({ node_count: 7 })
  })

  it('removing the node count means 1', async () => {
    const id = await givenCluster(lab, { body: { driver: 'memory@1', node_count: 3 } })
    await patch(id, [{ op: 'remove', path: '/node_count' }])
    expect((await readCluster(lab, id)).task).toMatchObject({ kind: 'resize', nodeCount: 1 })
  })

  it('of the node count below the fewest is 400', async () => {
    const labels = { min_node_count: 2 }
    const id = await givenCluster(lab, { body: { driver: 'memory@1', node_count: 3, labels } })
    const { status, body } = await patch(id, [{ op: 'remove', path: '/node_count' }])
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('at least "min_node_count", 2')])
  })

  it('of the node count is 400 naming a driver that can not change it', async () => {
    const { status, body } = await patch(await givenCluster(lab, { body: { driver: 'rigid@1' } }), { node_count: 2 })
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('rigid@1')])
  })

  it('that is empty changes nothing, in any state', async () => {
    const id = await givenCluster(lab, { status: 'CREATE_FAILED' })
    const { revision } = await readCluster(lab, id)
    expect((await patch(id, [])).status).toBe(202)
    expect((await readCluster(lab, id)).revision).toBe(revision)
  })

  it('section 13.10: takes the object that openstacksdk sends', async () => {
    expect((await patch(await givenCluster(lab), { node_count: 2 })).status).toBe(202)
  })

  it('section 0.10: takes a trailing slash before rollback', async () => {
    expect((await patch(await givenCluster(lab), [], '1.3', '/?rollback=True')).status).toBe(202)
  })

  type Row = [what: string, body: unknown, version: string, query: string, status: number, detail: string]
  const one = (path: string, value: unknown, op = 'replace') => [{ op, path, value }]

  it.each<Row>([
    ['rollback below 1.3', [], '1.2', '?rollback=true', 400, '"rollback" is unknown in version 1.2'],
    ['an unreadable rollback', [], '1.3', '?rollback=perhaps', 400, '"rollback" must be a boolean'],
    ['no body', undefined, '1.14', '', 400, 'must be a list of JSON Patch operations'],
    ['text', '"x"', '1.14', '', 400, 'must be a list of JSON Patch operations'],
    ['an operation that is text', ['x'], '1.14', '', 400, 'Operation 1 must be an object'],
    ['an operation without op', [{ path: '/node_count' }], '1.14', '', 400, 'Operation 1 has the op none'],
    ['a foreign op', [{ op: 'test', path: '/node_count', value: 1 }], '1.14', '', 400, '"add", "replace" or "remove"'],
    ['an unknown key', [{ op: 'remove', path: '/node_count', from: '/a' }], '1.14', '', 400, '"from"'],
    ['a path without slash', one('node_count', 1), '1.14', '', 400, 'JSON Pointer'],
    ['a path that is no text', one(5 as unknown as string, 1), '1.14', '', 400, 'needs a "path" that is text'],
    ['a null value', one('/node_count', null), '1.14', '', 400, 'needs a "value" that is not null'],
    ['a word as a count', one('/node_count', 'three'), '1.14', '', 400, 'an integer from 0'],
    ['a negative count', one('/node_count', -1), '1.14', '', 400, 'an integer from 0'],
    ['no nodes below 1.10', one('/node_count', 0), '1.9', '', 400, 'Version 1.10 allows 0'],
    ['add of what is set', one('/node_count', 1, 'add'), '1.14', '', 400, 'use "replace"'],
    ['something inside a count', one('/node_count/x', 1), '1.14', '', 400, 'as a whole'],
    ['a name', one('/name', 'x'), '1.14', '', 400, 'Cannot change "/name"'],
    [
      'several other attributes',
      [...one('/api_address', 'x'), ...one('/keypair/a', 'b', 'add')],
      '1.14',
      '',
      400,
      '"/api_address" and "/keypair"',
    ],
    ['an internal attribute', one('/uuid', 'x'), '1.14', '', 400, 'Cannot change "/uuid"'],
    ['an unknown attribute', one('/nmae', 'x'), '1.14', '', 400, 'Cannot change "/nmae"'],
    ['a health that is none', one('/health_status', 'FINE'), '1.14', '', 400, '"HEALTHY", "UNHEALTHY", "UNKNOWN"'],
    ['a reason that is no dictionary', one('/health_status_reason', 'bad'), '1.14', '', 400, 'a dictionary of texts'],
    ['a kubeconfig for a driver that takes none', [newKubeconfig], '1.14', '', 400, 'takes none'],
    ['a kubeconfig removed', [{ op: 'remove', path: '/kubeconfig' }], '1.14', '', 400, 'not removed'],
    ['an empty kubeconfig', one('/kubeconfig', ''), '1.14', '', 400, 'The value of "/kubeconfig" is empty'],
    ['a context without a kubeconfig', one('/context', 'x'), '1.14', '', 400, 'together with "/kubeconfig" only'],
  ])('refuses %s', async (...[, body, version, query, status, detail]) => {
    const answer = await patch(await givenCluster(lab), body, version, query)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([status, expect.stringContaining(detail)])
  })

  it('of name and address for peers is stored at once, and has its federations follow', async () => {
    const id = await givenExternal()
    const endpoint = { server: 'https://api.example.com:6443', serverForPeers: null }
    await changeCluster(lab, id, {
      endpoint: { ...endpoint, caPem: null, tlsServerName: null, tlsVerify: true },
    })
    await lab.stores.commit([lab.stores.clusters.addUses(await readCluster(lab, id), ['member:fleet'])])
    const both = [...one('/name', 'paris'), ...one('/server_for_peers', 'https://10.0.0.8:6443', 'add')]
    expect((await patch(id, both)).status).toBe(202)
    expect(await readCluster(lab, id)).toMatchObject({
      name: 'paris',
      status: 'CREATE_COMPLETE',
      endpoint: { ...endpoint, serverForPeers: 'https://10.0.0.8:6443' },
    })
    expect((await lab.call('GET', '/v1/clusters/paris')).body).toMatchObject({ uuid: id })
    const asked = await lab.stores.observeRequests.get({ projectId: 'blue', clusterId: id })
    expect(asked?.askedAt).toEqual(expect.any(String))
    await patch(id, [{ op: 'remove', path: '/server_for_peers' }])
    expect((await readCluster(lab, id)).endpoint).toMatchObject(endpoint)
  })

  it.each<[what: string, body: unknown, detail: string]>([
    ['a name that is none', one('/name', '-x'), 'The value of "/name" must be text of 1 to 242 characters'],
    ['a name removed', [{ op: 'remove', path: '/name' }], 'not removed'],
    ['an address that no API server has', one('/server_for_peers', 'https://169.254.169.254'), 'server_for_peers'],
    ['a name and a kubeconfig', [...one('/name', 'x'), newKubeconfig], 'Send 2 requests'],
  ])('refuses %s of a registered cluster', async (_, body, detail) => {
    const answer = await patch(await givenExternal(), body)
    expect([answer.status, answer.body.errors[0].detail]).toEqual([400, expect.stringContaining(detail)])
  })

  it('refuses a node count of a cluster whose driver only counts', async () => {
    const answer = await patch(await givenExternal(), one('/node_count', 3))
    expect([answer.status, answer.body.errors[0].detail]).toEqual([
      400,
      expect.stringContaining('does not manage nodes'),
    ])
  })

  it.each<Cluster['status']>(['CREATE_IN_PROGRESS', 'CREATE_FAILED', 'UPDATE_FAILED', 'DELETE_IN_PROGRESS'])(
    'of the node count on %s is 409, which Magnum loses',
    async (status) => {
      expect((await patch(await givenCluster(lab, { status }), one('/node_count', 2))).status).toBe(409)
    },
  )

  it('of an unknown cluster is 404', async () => {
    expect((await patch('nobody', [])).status).toBe(404)
  })

  it('section 9.4: by a reader is 403', async () => {
    expect((await lab.call('PATCH', `/v1/clusters/${await givenCluster(lab)}`, { as: READER, body: [] })).status).toBe(
      403,
    )
  })
})

describe('section 4.4: DELETE', () => {
  const remove = (id: string) => lab.call('DELETE', `/v1/clusters/${id}`)

  it('is 204 without a body', async () => {
    expect(await remove(await givenCluster(lab))).toMatchObject({ status: 204, text: '' })
  })

  it('reads DELETE_IN_PROGRESS before the 204', async () => {
    const id = await givenCluster(lab)
    await remove(id)
    expect((await lab.call('GET', `/v1/clusters/${id}`)).body.status).toBe('DELETE_IN_PROGRESS')
    expect(lab.executions.starts.at(-1)).toMatchObject({ flow: 'cluster-delete', input: { entityId: id } })
  })

  it.each<Cluster['status']>(['CREATE_FAILED', 'UPDATE_FAILED', 'DELETE_FAILED', 'UPDATE_COMPLETE'])(
    'works on %s',
    async (status) => {
      expect((await remove(await givenCluster(lab, { status }))).status).toBe(204)
    },
  )

  it('shows DELETE_IN_PROGRESS on the node groups too', async () => {
    const id = await givenCluster(lab)
    await remove(id)
    expect((await readGroups(lab, id)).map(({ status }) => status)).toEqual([
      'DELETE_IN_PROGRESS',
      'DELETE_IN_PROGRESS',
    ])
  })

  it('replaces a running update and drops what waits behind it', async () => {
    const id = await givenCluster(lab)
    const headers = { 'OpenStack-API-Version': 'container-infra latest' }
    await lab.call('POST', `/v1/clusters/${id}/actions/resize`, { body: { node_count: 2 }, headers })
    await lab.call('PATCH', `/v1/clusters/${id}/nodegroups/default-worker`, {
      body: [{ op: 'replace', path: '/max_node_count', value: 9 }],
      headers,
    })
    const { operation: update, queue } = await readCluster(lab, id)
    await remove(id)
    expect(queue).toHaveLength(1)
    expect(await readCluster(lab, id)).toMatchObject({
      operation: { kind: 'delete', supersedes: [{ flow: 'cluster-update', name: `${update?.id}-1` }] },
      task: null,
      queue: [],
    })
  })

  it('replaces a running create', async () => {
    const id = await givenCluster(lab, { status: 'CREATE_IN_PROGRESS' })
    const { operation: create } = await readCluster(lab, id)
    await remove(id)
    expect((await readCluster(lab, id)).operation).toMatchObject({
      kind: 'delete',
      supersedes: [{ flow: 'cluster-create', name: `${create?.id}-1` }],
    })
  })

  it('again is 204 and starts no second flow', async () => {
    const id = await givenCluster(lab)
    await remove(id)
    const before = lab.executions.starts.length
    expect([(await remove(id)).status, lab.executions.starts.length]).toEqual([204, before])
  })

  it('by force is for administrators, and makes a deletion that runs one by force, once', async () => {
    const id = await givenCluster(lab)
    const force = (as = ALICE) => lab.call('DELETE', `/v1/clusters/${id}?force=true`, { as })
    expect((await force({ ...ALICE, roles: ['member'] })).status).toBe(403)
    expect((await readCluster(lab, id)).operation).toBeNull()
    await remove(id)
    const { operation: plain } = await readCluster(lab, id)
    expect([(await force()).status, (await force()).status, (await remove(id)).status]).toEqual([204, 204, 204])
    expect((await readCluster(lab, id)).operation).toMatchObject({
      kind: 'delete',
      force: true,
      supersedes: [{ flow: 'cluster-delete', name: `${plain?.id}-1` }],
    })
  })

  it('many at once start one flow', async () => {
    const id = await givenCluster(lab)
    const answers = await Promise.all(Array.from({ length: 10 }, () => remove(id)))
    const flows = lab.executions.starts.filter(({ flow, input }) => flow === 'cluster-delete' && input.entityId === id)
    expect([new Set(answers.map(({ status }) => status)), flows.length]).toEqual([new Set([204]), 1])
  })

  it.each<['host' | 'member']>([['host'], ['member']])('of a %s is 409 naming the federation', async (role) => {
    const member = await givenCluster(lab)
    const { id, host } = await givenFederation(lab, { name: `fleet-${role}`, members: [member] })
    const { status, body } = await remove(role === 'host' ? host : member)
    expect([status, body.errors[0].detail]).toEqual([
      409,
      expect.stringContaining(` is ${role} of the federation "fleet-${role}" (${id}). `),
    ])
  })

  it('of a host and member of several is 409 saying which is which', async () => {
    const cluster = await givenCluster(lab, { name: 'busy' })
    const own = await givenFederation(lab, { name: 'own', host: cluster })
    const [a, b] = [
      await givenFederation(lab, { name: 'a', members: [cluster] }),
      await givenFederation(lab, { name: 'b', members: [cluster] }),
    ]
    expect((await remove(cluster)).body.errors[0].detail).toBe(
      `Cluster "busy" is host of the federation "own" (${own.id}) and member of the federations "a" (${a.id}) and "b" (${b.id}). ` +
        'Delete what it hosts, and unjoin it from what it is a member of, first.',
    )
  })

  it('of an unknown cluster is 404', async () => {
    expect((await remove('nobody')).status).toBe(404)
  })

  it('section 9.4: by a reader is 403', async () => {
    expect((await lab.call('DELETE', `/v1/clusters/${await givenCluster(lab)}`, { as: READER })).status).toBe(403)
  })
})
