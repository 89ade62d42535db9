import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readCluster } from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'
import { eventOf, READER } from '../../support/api/request.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const post = (body: unknown, version = '1.1') =>
  lab.call('POST', '/v1/clusters', { body, headers: { 'OpenStack-API-Version': `container-infra ${version}` } })

const memory = (attributes: object) => ({ driver: 'memory@1', ...attributes })
const external = (attributes: object = {}) => ({ kubeconfig: kubeconfigText(), ...attributes })

const stored = async (body: unknown, version?: string) => readCluster(lab, (await post(body, version)).body.uuid)

describe('section 4.1: POST accepts', () => {
  it('answers 202 with the uuid only', async () => {
    const { status, body } = await post(external({ name: 'a' }))
    expect([status, Object.keys(body)]).toEqual([202, ['uuid']])
  })

  it('is readable as CREATE_IN_PROGRESS the instant the 202 is out', async () => {
    const { body } = await post(external({ name: 'b' }))
    expect((await lab.call('GET', `/v1/clusters/${body.uuid}`)).body.status).toBe('CREATE_IN_PROGRESS')
  })

  it('starts the flow with ids only', async () => {
    const { id, operation } = await stored(external())
    expect(lab.executions.starts.at(-1)).toEqual({
      flow: 'cluster-create',
      name: `${operation?.id}-1`,
      input: { projectId: 'blue', entityId: id, operationId: operation?.id, attempt: 1, mode: 'do' },
    })
  })

  it('is 202 also when the flow can not be started', async () => {
    lab.executions.break()
    const { status } = await post(memory({}))
    lab.executions.repair()
    expect(status).toBe(202)
  })

  it.each<[string, object, object]>([
    [
      'names it when the caller does not',
      { name: '' },
      { name: expect.stringMatching(/^[a-z]+-([1-9]|1[0-9]|2[0-4])-cluster$/) },
    ],
    ['keeps a name', { name: 'Demo_1.x-' }, { name: 'Demo_1.x-' }],
    ['takes numeric text for integers', { create_timeout: '5' }, { magnum: { createTimeout: 5 } }],
    ['keeps create_timeout null', { create_timeout: null }, { magnum: { createTimeout: null } }],
    ['takes 60 minutes for no create_timeout', {}, { magnum: { createTimeout: 60 } }],
    [
      'takes null for absent',
      { keypair: null, labels: null, node_count: null },
      { magnum: { keypair: null, labels: {} } },
    ],
    ['takes "" for absent', { keypair: '', flavor_id: '' }, { magnum: { keypair: null, flavorId: null } }],
    [
      'takes text for booleans',
      { master_lb_enabled: 'True', floating_ip_enabled: 'off' },
      { magnum: { masterLbEnabled: true, floatingIpEnabled: false } },
    ],
    [
      'stores label values as text',
      { labels: { a: 1, b: true, c: 'x', d: 1.5 } },
      { magnum: { labels: { a: '1', b: 'True', c: 'x', d: '1.5' } } },
    ],
    [
      'drops what only the server sets',
      { uuid: 'x', status: 'CREATE_COMPLETE', status_reason: 'y', health_status: 'HEALTHY' },
      { status: 'CREATE_IN_PROGRESS', observation: null },
    ],
    [
      'has the counts asked for at once',
      { node_count: 2, master_count: '3', master_lb_enabled: true },
      { nodes: { nodeCount: 2, masterCount: 3, nodeAddresses: [], masterAddresses: [] } },
    ],
    ['belongs to the caller', {}, { userId: 'alice', projectId: 'blue' }],
  ])('%s', async (_what, attributes, expected) => {
    expect(await stored(memory(attributes))).toMatchObject(expected)
  })

  it('section 1.4: takes no nodes from 1.10 on', async () => {
    expect((await stored(memory({ node_count: 0 }), '1.10')).nodes).toMatchObject({ nodeCount: 0 })
  })

  it.each(['fed91a4e-0000-4000-8000-000000000001', 'external'])('takes the built-in template as %s', async (ident) => {
    expect((await post(external({ cluster_template_id: ident }))).status).toBe(202)
  })

  it('keeps what a kubeconfig says about the endpoint', async () => {
    const cluster = await stored(external({ server_for_peers: 'https://172.18.0.2:6443/' }))
    expect(cluster.endpoint).toEqual({
      server: 'https://api.example.com:6443',
      serverForPeers: 'https://172.18.0.2:6443',
      caPem: null,
      tlsServerName: null,
      tlsVerify: true,
    })
  })

  it('takes an unverified endpoint only on the caller’s word, and shows it', async () => {
    const insecure = kubeconfigText('https://10.0.0.1:6443', ', insecure-skip-tls-verify: true')
    const { body } = await post({ kubeconfig: insecure, insecure_skip_tls_verify: true })
    expect((await lab.call('GET', `/v1/clusters/${body.uuid}`)).body.tls_verify).toBe(false)
  })

  it('stores the credential sealed', async () => {
    const { id } = await stored(external())
    const secret = await lab.stores.credentials.get({
      projectId: 'blue',
      owner: `cluster/${id}`,
      purpose: 'kubeconfig',
    })
    expect(JSON.parse(secret?.reveal() ?? '{}')).toMatchObject({ server: 'https://api.example.com:6443' })
  })
})

type RefusalRow = [section: string, what: string, body: unknown, status: number, detail: string]

const REFUSALS: RefusalRow[] = [
  ['2', 'no body', undefined, 400, 'The body must be a JSON object with attributes; there is none.'],
  ['2', 'a list for an object', [], 400, 'it is a list'],
  ['2', 'text for an object', '"x"', 400, 'it is a string'],
  ['2', 'null for an object', 'null', 400, 'it is null'],
  ['2', 'broken JSON, with the position', '{"name": "a",\n "kubeconfig": }', 400, 'line 2, column 16'],
  ['2', 'a key that is there twice', '{"name": "a", "name": "b"}', 400, 'the key "name" twice'],
  ['2', 'a key that is there twice further down', '{"labels": {"x": 1, "x": 2}}', 400, 'the key "x" twice'],
  ['2', 'text after the body', '{} {}', 400, 'the end of the body is expected'],
  ['2', 'nesting without end', '['.repeat(100), 400, 'deeper than 32 levels'],
  [
    '2',
    'all unknown attributes',
    { nmae: 1, colour: 2, kubeconfig: 'x' },
    400,
    'Unknown attributes: "nmae" and "colour".',
  ],
  ['2', '__proto__', '{"__proto__": {"is_admin": true}}', 400, '"__proto__"'],
  ['2', '__proto__ further down', '{"driver": "memory@1", "labels": {"__proto__": "x"}}', 400, '"labels.__proto__"'],
  ['4.1', 'a read-only attribute', memory({ api_address: 'https://x' }), 400, 'Only the server sets: "api_address".'],
  ['4.1', 'a project', memory({ project_id: 'green' }), 400, '"project_id"'],
  [
    '4.1',
    'no template and no kubeconfig',
    { name: 'a' },
    400,
    'A "kubeconfig" or a "cluster_template_id" is missing: a kubeconfig',
  ],
  ['4.1', 'nothing at all, naming the kubeconfig first', {}, 400, 'A "kubeconfig" or a'],
  [
    '4.1',
    'an unknown template below 1.10',
    { cluster_template_id: 'none' },
    400,
    'ClusterTemplate "none" could not be found',
  ],
  [
    '4.1',
    'an unknown template beside a kubeconfig',
    external({ cluster_template_id: 'none' }),
    400,
    'ClusterTemplate "none"',
  ],
  ['4.1', 'a name that is a number', memory({ name: 5 }), 400, '"name" must be text of 1 to 242 characters'],
  [
    '4.1',
    'a name that is too long',
    memory({ name: 'a'.repeat(243) }),
    400,
    '"name" must be text of 1 to 242 characters',
  ],
  ['4.1', 'no nodes below 1.10, naming the version', memory({ node_count: 0 }), 400, 'Version 1.10 allows 0'],
  ['4.1', 'a negative number of nodes', memory({ node_count: -1 }), 400, '"node_count" must be an integer from 0'],
  ['4.1', 'half a node', memory({ node_count: 1.5 }), 400, '"node_count" must be an integer'],
  ['4.1', 'a count that is no number', memory({ node_count: 'many' }), 400, '"node_count" must be an integer'],
  ['4.1', 'a count beyond the column', memory({ node_count: 3e9 }), 400, '"node_count" must be an integer'],
  ['4.1', 'no masters', memory({ master_count: 0 }), 400, '"master_count" must be an integer from 1'],
  ['4.1', 'an even number of masters', memory({ master_count: 2 }), 400, '"master_count" is 2; it must be odd'],
  ['4.1', 'masters without a load balancer', memory({ master_count: 3 }), 400, '"master_lb_enabled" true'],
  [
    '4.1',
    'fewest workers that are no number',
    memory({ labels: { min_node_count: 'x' } }),
    400,
    '"min_node_count" is "x"',
  ],
  ['9.3', 'what the driver refuses', memory({ labels: { refused: 'Never.' } }), 400, 'Never.'],
  ['4.1', 'an empty volume', memory({ docker_volume_size: 0 }), 400, '"docker_volume_size"'],
  [
    '4.1',
    'a keypair that is too long',
    memory({ keypair: 'k'.repeat(256) }),
    400,
    '"keypair" must be text of 1 to 255 characters',
  ],
  ['4.1', 'labels as text', memory({ labels: 'a=b' }), 400, '"labels" must be an object'],
  ['2', 'a label that is null', memory({ labels: { a: null } }), 400, '"labels.a" must be text, a number or a boolean'],
  ['2', 'an unreadable boolean', memory({ merge_labels: 'perhaps' }), 400, '"merge_labels" must be a boolean'],
  ['–', 'an unknown driver', { driver: 'none@1' }, 400, 'The driver "none@1" is not enabled'],
  ['–', 'a kubeconfig for a driver that takes none', memory(external()), 400, 'takes no "kubeconfig"'],
  ['–', 'a driver that needs a kubeconfig', { driver: 'kubeconfig@1' }, 400, 'needs a "kubeconfig"'],
  ['–', 'a context without a kubeconfig', memory({ context: 'x' }), 400, 'go with a "kubeconfig" only'],
  ['–', 'a kubeconfig that is a number', { kubeconfig: 5 }, 400, '"kubeconfig" must be a kubeconfig as text'],
  ['–', 'a kubeconfig that is a list', { kubeconfig: [] }, 400, '"kubeconfig" must be a kubeconfig as text'],
  ['–', 'a kubeconfig that is empty', { kubeconfig: '' }, 400, '"kubeconfig" is empty'],
  ['–', 'a kubeconfig of white space', { kubeconfig: ' \n' }, 400, '"kubeconfig" is empty'],
  ['–', 'a kubeconfig that is an empty object', { kubeconfig: {} }, 400, '"kubeconfig" is empty'],
  ['–', 'a kubeconfig that is none', { kubeconfig: 'hello' }, 400, 'kubeconfig'],
  ['–', 'a context that is not in it', external({ context: 'other' }), 400, 'context'],
  [
    '–',
    'an address that is never allowed',
    external({ kubeconfig: kubeconfigText('https://169.254.169.254') }),
    400,
    '169.254.169.254',
  ],
  ['–', 'a peers’ address that is none', external({ server_for_peers: 'nowhere' }), 400, 'server_for_peers'],
  [
    '–',
    'a peers’ address that is never allowed',
    external({ server_for_peers: 'https://169.254.169.254' }),
    400,
    'server_for_peers: The address 169.254.169.254',
  ],
  [
    '–',
    'a text with a control character',
    memory({ keypair: 'a\u0000b' }),
    400,
    '"keypair" must have no control characters',
  ],
  ['–', 'a label with a control character', memory({ labels: { 'a\n': 'b' } }), 400, 'no control characters'],
  ['–', 'a peers’ address with a password', external({ server_for_peers: 'https://a:b@c' }), 400, 'server_for_peers'],
  ['3', 'a kubeconfig that is too large', { kubeconfig: 'x'.repeat(257 * 1024) }, 413, 'at most 262144 are taken'],
  ['3', 'a body that is too large', { kubeconfig: 'x'.repeat(700 * 1024) }, 413, 'at most 655360 are allowed'],
]

describe('POST refuses', () => {
  it.each(REFUSALS)('section %s: %s', async (...[, , body, status, detail]) => {
    const answer = await post(body)
    expect({ status: answer.status, detail: answer.body.errors[0].detail }).toEqual({
      status,
      detail: expect.stringContaining(detail),
    })
  })

  it('section 1.4: an unknown template with 404 from 1.10 on', async () => {
    expect((await post({ cluster_template_id: 'none' }, '1.10')).status).toBe(404)
  })

  it('section 13.7: a null template with 404 at latest', async () => {
    expect((await post({ cluster_template_id: null }, 'latest')).status).toBe(404)
  })

  it('bytes that are no UTF-8', async () => {
    const event = { ...eventOf('POST', '/v1/clusters', { body: '' }), body: '/w==', isBase64Encoded: true }
    expect((await lab.app(event)).statusCode).toBe(400)
  })

  it('without echoing a name of 100,000 characters', async () => {
    const { status, text } = await lab.call('GET', `/v1/clusters/${'a'.repeat(100_000)}`)
    expect([status, text.length < 1000]).toEqual([404, true])
  })

  it('and stores nothing', async () => {
    const before = (await lab.call('GET', '/v1/clusters')).body.clusters.length
    await post(external({ name: 'valid', labels: 'broken' }))
    expect((await lab.call('GET', '/v1/clusters')).body.clusters).toHaveLength(before)
  })

  it('section 9.4: a reader, naming the rule', async () => {
    const { status, body } = await lab.call('POST', '/v1/clusters', { as: READER, body: memory({}) })
    expect([status, body.errors[0].detail]).toEqual([403, expect.stringContaining('cluster:create')])
  })
})
