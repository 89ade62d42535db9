import { X509Certificate } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { TokenFile } from '../../../local/authorizer/token-file.schema.ts'
import { CSR } from './csr.ts'
import { type Status, Traffic } from './magnum-traffic.ts'
import { PythonSession } from './python-session.ts'
import { type Server, startServer } from './server.ts'

/** magnum-rest.md 10.4 and 13.10, with openstacksdk as it is. It sends no microversion of its own accord. */

const TOKENS: TokenFile = {
  ana: { userId: 'ana', projectId: 'shop', roles: ['member', 'reader'] },
  root: { userId: 'root', projectId: 'ops', roles: ['admin', 'member', 'reader'] },
}

const PRELUDE = `
import openstack, warnings
warnings.simplefilter("ignore")

def connect(auth_type, **auth):
    connection = openstack.connection.Connection(auth_type=auth_type, auth=auth)
    return connection.container_infrastructure_management
`

type Cluster = Status & Record<string, unknown>

let server: Server
let python: PythonSession
let api: Traffic

beforeAll(async () => {
  server = await startServer(TOKENS)
  api = new Traffic(server.url, { 'x-auth-token': 'ana' })
  python = await PythonSession.start(PRELUDE)
  for (const [name, token] of Object.entries({ infra: 'ana', admin: 'root' })) {
    await python.run(`${name} = connect("admin_token", endpoint="${server.url}/v1", token="${token}")`)
  }
})
afterAll(async () => {
  await python?.close()
  await server?.close()
})

const settled = (name: string): Promise<Cluster> => api.settled<Cluster>(`/v1/clusters/${name}`)

describe('container_infrastructure_management of openstacksdk, with auth_type admin_token', () => {
  it('creates a cluster template', async () => {
    const made = await python.run(
      'infra.create_cluster_template(name="simulated", coe="kubernetes", image_id="none", labels={"kube_tag": "v1.35.0"},' +
        ' is_floating_ip_enabled=False).to_dict()',
    )
    expect(made).toMatchObject({ name: 'simulated', labels: { kube_tag: 'v1.35.0' }, is_floating_ip_enabled: false })
    expect(await api.get('/v1/clustertemplates/simulated')).toMatchObject({ floating_ip_enabled: false })
  })

  it('lists, gets and finds cluster templates', async () => {
    expect(await python.run('sorted(t.name for t in infra.cluster_templates())')).toEqual([
      'eks',
      'external',
      'simulated',
    ])
    expect(await python.run('infra.get_cluster_template("simulated").coe')).toBe('kubernetes')
    expect(await python.run('infra.find_cluster_template("simulated").name')).toBe('simulated')
    expect(await python.run('infra.find_cluster_template("no-such")')).toBeNull()
  })

  it('updates a cluster template by name, and one that it has read', async () => {
    const byName = 'infra.update_cluster_template("simulated", flavor_id="tiny", is_registry_enabled=True).to_dict()'
    expect(await python.run(byName)).toMatchObject({ flavor_id: 'tiny', is_registry_enabled: true })
    const read = 'infra.update_cluster_template(infra.get_cluster_template("simulated"), flavor_id="big").flavor_id'
    expect(await python.run(read)).toBe('big')
    const changed = await api.get('/v1/clustertemplates/simulated')
    expect(changed).toMatchObject({ flavor_id: 'big', registry_enabled: true, name: 'simulated' })
  })

  it('creates a cluster and waits until it is there', async () => {
    const made = 'infra.create_cluster(name="paris", cluster_template_id="simulated", node_count=2, create_timeout=5)'
    const status = `infra.wait_for_status(infra.get_cluster(${made}.id), status="CREATE_COMPLETE", interval=0.1, wait=30).status`
    expect(await python.run(status)).toBe('CREATE_COMPLETE')
  })

  it('lists, gets and finds clusters', async () => {
    expect(await python.run('[c.name for c in infra.clusters()]')).toEqual(['paris'])
    const shown = await python.run('infra.get_cluster("paris").to_dict()')
    expect(shown).toMatchObject({ name: 'paris', node_count: 2, create_timeout: 5, labels: { kube_tag: 'v1.35.0' } })
    // Without a microversion the server says stack_id, the only one that this client knows.
    expect(shown).toMatchObject({ stack_id: expect.any(String), master_addresses: [expect.any(String)] })
    expect(await python.run('infra.find_cluster("paris").name')).toBe('paris')
  })

  it('follows pages', async () => {
    await python.run('infra.create_cluster(name="lyon", cluster_template_id="simulated").id')
    expect(await python.run('sorted(c.name for c in infra.clusters(limit=1))')).toEqual(['lyon', 'paris'])
  })

  it('updates a cluster by name, and one that it has read', async () => {
    await python.run('infra.update_cluster("paris", node_count=3).id')
    expect(await settled('paris')).toMatchObject({ status: 'UPDATE_COMPLETE', node_count: 3 })
    await python.run('infra.update_cluster(infra.get_cluster("paris"), node_count=4).id')
    expect(await settled('paris')).toMatchObject({ status: 'UPDATE_COMPLETE', node_count: 4 })
  })

  // Releases before 4 sent an object in place of a patch; so do callers that write requests of their own with the connection.
  it('updates with a plain object', async () => {
    expect(await python.run('infra.patch("/clusters/paris", json={"node_count": 2}).status_code')).toBe(202)
    expect(await settled('paris')).toMatchObject({ status: 'UPDATE_COMPLETE', node_count: 2 })
  })

  // Both fail inside of the client after the server has answered, since it reads the response as a dictionary (13.10).
  it.each([
    ['resize', 'resize(infra, node_count=1)', { node_count: 1 }],
    ['upgrade', 'upgrade(infra, cluster_template="newer")', { coe_version: 'v1.36.0' }],
  ])('asks for a %s, although the client can not read the answer', async (_, call, change) => {
    await python.run('infra.default_microversion = "1.8"')
    await python.run(
      'infra.find_cluster_template("newer") or infra.create_cluster_template(name="newer", coe="kubernetes", image_id="none", labels={"kube_tag": "v1.36.0"}) and None',
    )
    const asked = python.run(`infra.get_cluster("paris").${call}`)
    await expect(asked).rejects.toThrow("'Response' object is not subscriptable")
    expect(await settled('paris')).toMatchObject({ status: 'UPDATE_COMPLETE', ...change })
    await python.run('infra.default_microversion = None')
  })

  it('signs and gets certificates', async () => {
    const cluster = 'infra.get_cluster("paris").id'
    const ca = await python.run<string>(`infra.get_cluster_certificate(${cluster}).pem`)
    const made = `infra.create_cluster_certificate(cluster_uuid=${cluster}, csr=${JSON.stringify(CSR)}).pem`
    const certificate = new X509Certificate(await python.run<string>(made))
    expect(certificate.verify(new X509Certificate(ca).publicKey)).toBe(true)
  })

  it('lists services for administrators, and says who may to others', async () => {
    expect(await python.run('[s.state for s in admin.services()]')).toContain('up')
    await expect(python.run('list(infra.services())')).rejects.toMatchObject({ type: 'ForbiddenException' })
  })

  it('shows administrators the clusters of all projects', async () => {
    expect(await python.run('sorted(c.name for c in admin.clusters())')).toEqual(['lyon', 'paris'])
  })

  it('deletes clusters and templates, and waits until they are gone', async () => {
    const remove = (name: string) =>
      `c = infra.get_cluster("${name}"); infra.delete_cluster(c); infra.wait_for_delete(c, interval=0.1, wait=30)`
    await python.run(remove('paris'))
    await python.run(remove('lyon'))
    await python.run('infra.delete_cluster_template("simulated", ignore_missing=False)')
    await python.run('infra.delete_cluster_template("newer", ignore_missing=False)')
    expect(await python.run('sorted(t.name for t in infra.cluster_templates())')).toEqual(['eks', 'external'])
  })

  it('tells apart what is missing, wrong and forbidden', async () => {
    await expect(python.run('infra.get_cluster("no-such")')).rejects.toMatchObject({ type: 'NotFoundException' })
    const wrong = python.run('infra.create_cluster(name="-", cluster_template_id="external")')
    await expect(wrong).rejects.toMatchObject({ type: 'BadRequestException' })
  })
})

describe('container_infrastructure_management of openstacksdk, with auth_type none', () => {
  let open: Server

  beforeAll(async () => {
    open = await startServer()
  })
  afterAll(() => open?.close())

  it('is project local', async () => {
    const code = `sorted(t.name for t in connect("none", endpoint="${open.url}/v1").cluster_templates())`
    expect(await python.run(code)).toEqual(['eks', 'external'])
  })

  it('is refused where tokens are asked for', async () => {
    const code = `list(connect("none", endpoint="${server.url}/v1").clusters())`
    await expect(python.run(code)).rejects.toThrow(/401/)
  })
})
