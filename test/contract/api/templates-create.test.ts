import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { templateAnswer } from '../../../functions/api/clustertemplates/template.answer.schema.ts'
import type { ClusterDriver } from '../../../functions/drivers/contract/cluster-driver.ts'
import { type Answer, type ApiLab, BASE_URL, callApp, createApiLab } from '../../support/api/lab.ts'
import { ALICE, BOB, READER } from '../../support/api/request.ts'
import { MIA } from '../../support/api/template-calls.ts'

let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
})
afterAll(() => lab.dispose())

const MINIMAL = { coe: 'kubernetes', image_id: 'ubuntu' }

const create = (body: unknown, as = ALICE): Promise<Answer> => lab.call('POST', '/v1/clustertemplates', { as, body })

const countOf = async (): Promise<number> =>
  (await lab.call('GET', '/v1/clustertemplates')).body.clustertemplates.length

const UUID = '0aaaaaaa-1111-4222-8333-444444444444'

describe('POST /v1/clustertemplates', () => {
  it('answers 201 with the whole template, its defaults and where it is', async () => {
    const { status, headers, body } = await create(MINIMAL)
    expect(status).toBe(201)
    expect(headers.location).toBe(`${BASE_URL}/v1/clustertemplates/${body.uuid}`)
    expect(body).toEqual({
      uuid: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: expect.stringMatching(/^[a-z]+-[0-9]+-template$/),
      coe: 'kubernetes',
      image_id: 'ubuntu',
      flavor_id: null,
      master_flavor_id: null,
      keypair_id: null,
      external_network_id: null,
      fixed_network: null,
      fixed_subnet: null,
      network_driver: 'flannel',
      volume_driver: null,
      dns_nameserver: null,
      apiserver_port: null,
      docker_volume_size: null,
      docker_storage_driver: null,
      labels: {},
      server_type: 'vm',
      cluster_distro: null,
      registry_enabled: false,
      insecure_registry: null,
      tls_disabled: false,
      master_lb_enabled: false,
      floating_ip_enabled: true,
      http_proxy: null,
      https_proxy: null,
      no_proxy: null,
      public: false,
      hidden: false,
      tags: null,
      driver: 'memory@1',
      project_id: 'blue',
      user_id: 'alice',
      links: [
        { href: `${BASE_URL}/v1/clustertemplates/${body.uuid}`, rel: 'self' },
        { href: `${BASE_URL}/clustertemplates/${body.uuid}`, rel: 'bookmark' },
      ],
      created_at: expect.stringMatching(/\+00:00$/),
      updated_at: null,
    })
    expect((await lab.call('GET', `/v1/clustertemplates/${body.uuid}`)).body).toEqual(body)
  })

  it('keeps every attribute', async () => {
    const given = {
      name: 'Everything, spelled out: ünï',
      coe: 'kubernetes',
      image_id: 'fedora-coreos-40',
      flavor_id: 'm1.medium',
      master_flavor_id: 'm1.large',
      keypair_id: 'key',
      external_network_id: 'public',
      fixed_network: 'private',
      fixed_subnet: 'private-v4',
      network_driver: 'calico',
      volume_driver: 'cinder',
      dns_nameserver: '8.8.8.8,1.1.1.1',
      apiserver_port: 6443,
      docker_volume_size: 3,
      docker_storage_driver: 'devicemapper',
      server_type: 'bm',
      cluster_distro: 'fedora-coreos',
      registry_enabled: true,
      insecure_registry: 'registry.example.com:5000',
      tls_disabled: true,
      master_lb_enabled: true,
      floating_ip_enabled: false,
      http_proxy: 'http://proxy.example.com:3128',
      https_proxy: 'http://proxy.example.com:3129',
      no_proxy: 'localhost',
      public: true,
      hidden: true,
      tags: 'a,b',
      driver: 'memory@1',
      uuid: UUID,
    }
    const { status, body } = await create({ ...given, labels: { text: 'x', number: 5, yes: true } })
    expect(status).toBe(201)
    expect(body).toMatchObject({ ...given, labels: { text: 'x', number: '5', yes: 'True' } })
    expect(templateAnswer.strict().parse(body)).toEqual(body)
  })

  it('takes what the openstack client sends: nulls for what was not given', async () => {
    const nulls = Object.fromEntries(
      'name keypair_id external_network_id fixed_network fixed_subnet network_driver volume_driver driver http_proxy https_proxy no_proxy docker_volume_size insecure_registry master_flavor_id labels registry_enabled public hidden tags server_type apiserver_port'
        .split(' ')
        .map((key) => [key, null]),
    )
    const { status, body } = await create({ ...MINIMAL, ...nulls, dns_nameserver: '8.8.8.8', flavor_id: 'm1.medium' })
    expect(status).toBe(201)
    expect(body).toMatchObject({ network_driver: 'flannel', labels: {}, server_type: 'vm', floating_ip_enabled: true })
  })

  it.each([
    [{}, 'calico'],
    [{ network_driver: null }, 'calico'],
    [{ network_driver: 'flannel' }, 'flannel'],
  ])("has its driver's network where the request names none: %j", async (given, shown) => {
    const { body } = await create({ ...MINIMAL, driver: 'managed@1', ...given })
    expect(body).toMatchObject({ driver: 'managed@1', network_driver: shown })
  })

  it.each<[string, unknown, unknown]>([
    ['apiserver_port', '8080', 8080],
    ['docker_volume_size', '10', 10],
    ['public', 'True', true],
    ['tls_disabled', 'on', true],
    ['floating_ip_enabled', '0', false],
    ['name', '', expect.stringMatching(/-template$/)],
    ['driver', 'memory', 'memory@1'],
    ['dns_nameserver', ' 8.8.8.8 , 8.8.4.4 ', '8.8.8.8,8.8.4.4'],
    ['network_driver', 'cilium', 'cilium'],
    ['name', 'x'.repeat(255), 'x'.repeat(255)],
    ['tags', 't'.repeat(255), 't'.repeat(255)],
  ])('reads "%s" %j', async (key, given, shown) => {
    const { status, body } = await create({ ...MINIMAL, [key]: given })
    expect([status, body[key]]).toEqual([201, shown])
  })

  it.each<[Record<string, unknown>, string]>([
    [{ coe: undefined }, '"coe" must be "kubernetes".'],
    [{ coe: null }, '"coe" must be "kubernetes".'],
    [{ coe: 'swarm' }, '"coe" must be "kubernetes".'],
    [{ image_id: undefined }, '"image_id" must be text of 1 to 255 characters.'],
    [{ image_id: '' }, '"image_id" must be'],
    [{ image_id: 'x'.repeat(256) }, '"image_id" must be'],
    [{ name: 'x'.repeat(256) }, '"name" must be text of 1 to 255 characters.'],
    [{ name: 'a\nb' }, '"name" must have no control characters, and none that change the direction of writing.'],
    [{ network_driver: 'weave' }, '"network_driver" must be "flannel" or "calico" or "cilium".'],
    [{ volume_driver: 'rexray' }, '"volume_driver" must be "cinder".'],
    [{ server_type: 'lxc' }, '"server_type" must be "vm" or "bm".'],
    [{ dns_nameserver: '8.8.8.8,' }, '"dns_nameserver" must be one IPv4 address, or several with commas between.'],
    [{ dns_nameserver: 'dns.example.com' }, '"dns_nameserver" must be one IPv4 address'],
    [{ dns_nameserver: '::1' }, '"dns_nameserver" must be one IPv4 address'],
    [{ apiserver_port: 1023 }, '"apiserver_port" must be an integer from 1024 to 65535.'],
    [{ apiserver_port: 65_536 }, '"apiserver_port" must be an integer from 1024 to 65535.'],
    [{ docker_volume_size: 0 }, '"docker_volume_size" must be an integer from 1'],
    [{ docker_volume_size: 1.5 }, '"docker_volume_size" must be an integer from 1'],
    [{ docker_volume_size: 2, docker_storage_driver: 'devicemapper' }, 'it must be at least 3 (GB)'],
    [{ labels: 'a=b' }, '"labels" must be an object'],
    [{ labels: { a: null } }, '"labels.a" must be text, a number or a boolean.'],
    [{ public: 'perhaps' }, '"public" must be a boolean'],
    [{ tls_disabled: 2 }, '"tls_disabled" must be a boolean'],
    [{ tags: 't'.repeat(256) }, '"tags" must be text of 1 to 255 characters.'],
    [{ uuid: 'mine' }, '"uuid" must be a UUID'],
    [{ uuid: UUID.toUpperCase() }, '"uuid" must be a UUID in lower case'],
    [{ driver: 'heat@1' }, '"driver" is "heat@1", which is no enabled driver'],
    [{ driver: 'kubeconfig@1' }, 'left out, it is memory@1.'],
    [{ color: 'red' }, 'Unknown attribute: "color".'],
    [{ project_id: 'green' }, 'Only the server sets: "project_id".'],
    [{ user_id: null, links: [], created_at: null, updated_at: null }, 'Only the server sets: "user_id", "links"'],
  ])('refuses %j', async (given, sentence) => {
    const before = await countOf()
    const { status, body } = await create({ ...MINIMAL, ...given })
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining(sentence)])
    expect(await countOf()).toBe(before)
  })

  it.each([undefined, [], 'text', null])('refuses the body %j', async (body) => {
    expect((await create(body)).status).toBe(400)
  })

  it('refuses a uuid that another project has', async () => {
    const uuid = '0bbbbbbb-1111-4222-8333-555555555555'
    expect((await lab.call('POST', '/v1/clustertemplates', { as: BOB, body: { ...MINIMAL, uuid } })).status).toBe(201)
    const second = await create({ ...MINIMAL, uuid })
    expect([second.status, second.body.errors[0].detail]).toEqual([409, expect.stringContaining('exists already')])
    expect((await lab.call('GET', `/v1/clustertemplates/${uuid}`, { as: BOB })).status).toBe(200)
  })

  it('refuses a uuid that is taken, also by a built-in template', async () => {
    const first = await create({ ...MINIMAL, uuid: '0aaaaaaa-1111-4222-8333-555555555555' })
    const again = await create({ ...MINIMAL, uuid: first.body.uuid })
    expect([again.status, again.body.errors[0].detail]).toEqual([409, expect.stringContaining('exists already')])
    expect((await create({ ...MINIMAL, uuid: 'fed91a4e-0000-4000-8000-000000000001' })).status).toBe(409)
  })

  it('answers the same template for the same Idempotency-Key', async () => {
    const send = () =>
      lab.call('POST', '/v1/clustertemplates', { body: MINIMAL, headers: { 'Idempotency-Key': 'template-once' } })
    const [first, second] = [await send(), await send()]
    expect([second.status, second.body]).toEqual([201, first.body])
  })

  it('lets two templates have one name', async () => {
    const both = [await create({ ...MINIMAL, name: 'same' }), await create({ ...MINIMAL, name: 'same' })]
    expect(both.map(({ status }) => status)).toEqual([201, 201])
  })
})

describe('who may create', () => {
  it.each([{ public: true }, { hidden: true }])(
    'tells a member before anything happens that %j is an administrator’s to set',
    async (given) => {
      const before = await countOf()
      const { status, body } = await create({ ...MINIMAL, ...given }, MIA)
      expect([status, body.errors[0].detail]).toEqual([403, expect.stringContaining('Only an administrator may')])
      expect(await countOf()).toBe(before)
    },
  )

  it('is a member, for the own project', async () => {
    const { status, body } = await create(MINIMAL, BOB)
    expect([status, body.project_id, body.user_id]).toEqual([201, 'green', 'bob'])
  })

  it('is no reader', async () => {
    expect((await create(MINIMAL, READER)).status).toBe(403)
  })
})

describe('the driver of a template', () => {
  const driversOf = (...cluster: Partial<ClusterDriver>[]) => {
    const [template] = lab.ports.drivers.cluster.list()
    const list = cluster.map((fields) => ({ ...template, ...fields }) as ClusterDriver)
    return { ...lab.ports.drivers, cluster: { ...lab.ports.drivers.cluster, list: () => list } }
  }
  const able = {
    needsKubeconfig: false,
    kubernetesApi: true,
    makesNodes: true,
    certificateAuthority: true,
    needsManagement: false,
  }
  const createWith = (cluster: Partial<ClusterDriver>[], given: object = {}): Promise<Answer> => {
    const app = lab.appOver({ drivers: driversOf(...cluster) })
    return callApp(app, 'POST', '/v1/clustertemplates', { body: { ...MINIMAL, ...given } })
  }

  it('is needed: without one the answer says how clusters are registered', async () => {
    const { status, body } = await createWith([{ id: 'kubeconfig@1' }])
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('with its kubeconfig instead')])
  })

  it('is the first that makes nodes', async () => {
    const { body } = await createWith([
      { id: 'kubeconfig@1' },
      { id: 'b@1', capabilities: able },
      { id: 'a@1', capabilities: able },
    ])
    expect(body.driver).toBe('b@1')
  })

  it('needs its number where two have the name', async () => {
    const two = [
      { id: 'b@1', capabilities: able },
      { id: 'b@2', capabilities: able },
    ] as const
    const { status, body } = await createWith([...two], { driver: 'b' })
    expect([status, body.errors[0].detail]).toEqual([400, expect.stringContaining('There are b@1 and b@2')])
    expect((await createWith([...two], { driver: 'b@2' })).body.driver).toBe('b@2')
  })
})
