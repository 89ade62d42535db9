import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { CSR_FILE } from './csr.ts'
import { type Status, Traffic } from './magnum-traffic.ts'
import { OpenStackCli } from './openstack-cli.ts'
import { cleanEnvironment, pythonEnvironment } from './python-environment.ts'
import { type Server, startServer } from './server.ts'

/** magnum-rest.md 10.1, with python-openstackclient and python-magnumclient as they are, without Keystone. */

type Cluster = Status & Record<string, unknown>
type Rows = Record<string, unknown>[]

/** Long enough for a command to see work in progress, short enough to wait for. */
const DELAYS = 'memory-delay-seconds=1,memory-update-delay-seconds=1'

let server: Server
let coe: OpenStackCli
let api: Traffic

beforeAll(async () => {
  server = await startServer()
  api = new Traffic(server.url)
  coe = await OpenStackCli.start({ OS_AUTH_TYPE: 'none', OS_ENDPOINT: `${server.url}/v1` })
})
afterAll(async () => {
  await coe?.close()
  await server?.close()
})

const clusterPath = (name: string): string => `/v1/clusters/${name}`
const groupPath = (group: string): string => `/v1/clusters/paris/nodegroups/${group}`
const paris = (): Promise<Cluster> => api.get<Cluster>(clusterPath('paris'))
const settledParis = (): Promise<Cluster> => api.settled<Cluster>(clusterPath('paris'))
const createTemplate = (name: string, more: string) =>
  coe.json(`cluster template create ${name} --coe kubernetes --image none --external-network public ${more}`)

describe('openstack coe cluster template', () => {
  it('creates with what the client leaves null, and its defaults', async () => {
    const shown = await createTemplate('small', '--labels kube_tag=v1.35.0')
    expect(shown).toMatchObject({ name: 'small', coe: 'kubernetes', flavor_id: 'm1.medium', dns_nameserver: '8.8.8.8' })
    expect(shown).toMatchObject({ docker_storage_driver: 'overlay2', labels: { kube_tag: 'v1.35.0' }, hidden: false })
    // The client shows "-" for null.
    expect(shown).toMatchObject({ fixed_network: '-', http_proxy: '-', master_flavor_id: '-' })
  })

  it('creates with every option', async () => {
    const options = [
      '--keypair key --fixed-network net --fixed-subnet subnet --network-driver calico --volume-driver cinder',
      '--driver memory@1 --dns-nameserver 1.1.1.1,9.9.9.9 --flavor large --master-flavor huge --server-type bm',
      '--docker-volume-size 20 --docker-storage-driver devicemapper --insecure-registry registry:5000',
      '--http-proxy http://proxy --https-proxy https://proxy --no-proxy 10.0.0.0/8 --tags a,b --labels x=1,y=2',
      '--tls-disabled --public --registry-enabled --master-lb-enabled --floating-ip-disabled --hidden',
    ]
    await createTemplate('whole', options.join(' '))
    const made = await api.get('/v1/clustertemplates/whole')
    expect(made).toMatchObject({ keypair_id: 'key', fixed_network: 'net', fixed_subnet: 'subnet', server_type: 'bm' })
    expect(made).toMatchObject({ network_driver: 'calico', volume_driver: 'cinder', driver: 'memory@1' })
    expect(made).toMatchObject({ dns_nameserver: '1.1.1.1,9.9.9.9', flavor_id: 'large', master_flavor_id: 'huge' })
    expect(made).toMatchObject({ docker_volume_size: 20, docker_storage_driver: 'devicemapper' })
    expect(made).toMatchObject({ insecure_registry: 'registry:5000', http_proxy: 'http://proxy' })
    expect(made).toMatchObject({ https_proxy: 'https://proxy', no_proxy: '10.0.0.0/8', labels: { x: '1', y: '2' } })
    expect(made).toMatchObject({ external_network_id: 'public', tls_disabled: true, public: true, hidden: true })
    expect(made).toMatchObject({ registry_enabled: true, master_lb_enabled: true, floating_ip_enabled: false })
  })

  it('lists, with columns of its own choice', async () => {
    expect(await coe.json<Rows>('cluster template list --fields coe --sort-key name')).toEqual([
      expect.objectContaining({ name: 'eks', coe: 'kubernetes' }),
      expect.objectContaining({ name: 'external', coe: 'kubernetes' }),
      expect.objectContaining({ name: 'small', tags: null }),
      expect.objectContaining({ name: 'whole', tags: expect.stringMatching(/^(a,b|b,a)$/) }),
    ])
  })

  it('follows pages up to a limit', async () => {
    const rows = await coe.json<Rows>('cluster template list --limit 3 --sort-key name')
    expect(rows.map(({ name }) => name)).toEqual(['eks', 'external', 'small'])
  })

  it('shows by name and by uuid', async () => {
    const { uuid } = await coe.json('cluster template show small')
    expect(await coe.json(`cluster template show ${uuid}`)).toMatchObject({ name: 'small' })
  })

  it('updates texts, numbers, booleans, labels and tags in one patch', async () => {
    const options =
      '--flavor tiny --docker-volume-size 7 --registry-enabled --label zone=a --no-label kube_tag --tag team'
    const shown = await coe.json(`cluster template update small ${options}`)
    expect(shown).toMatchObject({ flavor_id: 'tiny', docker_volume_size: 7, registry_enabled: true })
    expect(shown).toMatchObject({ labels: { zone: 'a' }, tags: 'team', name: 'small' })
  })

  it('deletes several', async () => {
    const said = await coe.run('cluster template delete whole small')
    expect(said).toContain('Request to delete cluster template small has been accepted.')
    const left = await coe.json<Rows>('cluster template list --sort-key name')
    expect(left.map(({ name }) => name)).toEqual(['eks', 'external'])
  })
})

describe('openstack coe cluster', () => {
  beforeAll(async () => {
    await createTemplate('v35', `--labels kube_tag=v1.35.0,${DELAYS}`)
    await createTemplate('v36', `--labels kube_tag=v1.36.0,${DELAYS}`)
  })

  it('creates: accepted, in progress at once, complete in the end', async () => {
    const said = await coe.run('cluster create paris --cluster-template v35 --node-count 2')
    const { uuid } = await paris()
    expect(said).toBe(`Request to create cluster ${uuid} accepted\n`)
    expect(await coe.json(`cluster show ${uuid}`)).toMatchObject({ status: 'CREATE_IN_PROGRESS', node_count: 2 })
    await settledParis()
    const shown = await coe.json('cluster show paris')
    expect(shown).toMatchObject({ status: 'CREATE_COMPLETE', coe_version: 'v1.35.0', master_count: 1 })
    expect(shown).toMatchObject({ uuid, node_addresses: [expect.any(String), expect.any(String)], create_timeout: 60 })
  })

  it('lays labels over those of the template, and says so', async () => {
    await coe.run(
      'cluster create lyon --cluster-template v35 --labels zone=a --merge-labels --keypair key --flavor tiny',
    )
    const shown = await coe.json('cluster show lyon')
    expect(shown).toMatchObject({ labels: { zone: 'a', kube_tag: 'v1.35.0' }, labels_added: { zone: 'a' } })
    expect(shown).toMatchObject({ keypair: 'key', flavor_id: 'tiny', labels_skipped: {}, labels_overridden: {} })
    await api.settled(clusterPath('lyon'))
  })

  it('lists, and follows pages up to a limit', async () => {
    expect(await coe.json<Rows>('cluster list --limit 2 --sort-key name --sort-dir desc')).toEqual([
      expect.objectContaining({
        name: 'paris',
        status: 'CREATE_COMPLETE',
        node_count: 2,
        master_count: 1,
        keypair: null,
      }),
      expect.objectContaining({ name: 'lyon', keypair: 'key' }),
    ])
    expect(await coe.json<Rows>('cluster list --limit 1')).toHaveLength(1)
  })

  it('updates the count of workers, also with --rollback', async () => {
    await coe.run('cluster update paris --node-count 3 --rollback')
    expect((await paris()).status).toBe('UPDATE_IN_PROGRESS')
    expect(await settledParis()).toMatchObject({ status: 'UPDATE_COMPLETE', node_count: 3 })
  })

  it.each(['--name other', '--master-count 3', '--label a=b'])(
    'prints that %s is no change that can be made',
    async (option) => {
      const { code, stderr } = await coe.result(`cluster update paris ${option}`)
      expect([code, stderr]).toEqual([1, expect.stringContaining('(HTTP 400)')])
      expect((await paris()).status).toBe('UPDATE_COMPLETE')
    },
  )

  it('resizes, and takes the node away that is named', async () => {
    const { node_addresses: nodes } = await api.get<{ node_addresses: string[] }>(groupPath('default-worker'))
    const [first, ...others] = nodes
    await coe.run(`cluster resize paris 2 --nodes-to-remove ${first}`)
    expect((await paris()).status).toBe('UPDATE_IN_PROGRESS')
    await settledParis()
    expect(await api.get(groupPath('default-worker'))).toMatchObject({ node_count: 2, node_addresses: others })
  })

  it('upgrades to another template', async () => {
    await coe.run('cluster upgrade paris v36')
    expect((await paris()).status).toBe('UPDATE_IN_PROGRESS')
    const { uuid } = await api.get('/v1/clustertemplates/v36')
    const upgraded = await settledParis()
    expect(upgraded).toMatchObject({ status: 'UPDATE_COMPLETE', coe_version: 'v1.36.0', cluster_template_id: uuid })
  })

  it('prints why a template that is used can not be deleted', async () => {
    expect(await coe.run('cluster template delete v36')).toMatch(/failed: .*paris.*\(HTTP 400\)/)
  })

  it('prints the whole reason of a refusal, beyond the first dot', async () => {
    const { code, stderr } = await coe.result('cluster show v1.0.no-such')
    expect([code, stderr]).toEqual([1, expect.stringMatching(/"v1\.0\.no-such" .*\(HTTP 404\)/)])
  })

  it('deletes', async () => {
    await coe.run('cluster delete lyon')
    await api.gone(clusterPath('lyon'))
    const rows = await coe.json<Rows>('cluster list')
    expect(rows.map(({ name }) => name)).toEqual(['paris'])
  })
})

describe('openstack coe nodegroup', () => {
  it('creates with labels, node labels and taints; cluster and group show it at once', async () => {
    const options = [
      '--node-count 2 --min-nodes 1 --max-nodes 4 --role gpu --flavor g1 --image other --docker-volume-size 9',
      '--labels zone=b --merge-labels --node-labels tier=fast --node-taints gpu=yes:NoSchedule --node-taints own:NoExecute',
    ]
    await coe.run(`nodegroup create paris gpu ${options.join(' ')}`)
    expect((await paris()).status).toBe('UPDATE_IN_PROGRESS')
    expect(await api.get(groupPath('gpu'))).toMatchObject({ status: 'CREATE_IN_PROGRESS' })
    await settledParis()
    const shown = await coe.json('nodegroup show paris gpu')
    expect(shown).toMatchObject({ status: 'CREATE_COMPLETE', role: 'gpu', node_count: 2, flavor_id: 'g1' })
    expect(shown).toMatchObject({ min_node_count: 1, max_node_count: 4, image_id: 'other', docker_volume_size: 9 })
    expect(shown).toMatchObject({ labels_added: { zone: 'b' }, node_labels: { tier: 'fast' } })
    const taints = [
      { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
      { key: 'own', effect: 'NoExecute' },
    ]
    expect(shown).toMatchObject({ node_taints: taints })
  })

  it('lists, by role too', async () => {
    const rows = await coe.json<Rows>('nodegroup list paris')
    expect(rows.map(({ name }) => name)).toEqual(['default-master', 'default-worker', 'gpu'])
    expect(await coe.json('nodegroup list paris --role gpu --limit 5')).toHaveLength(1)
  })

  it('updates limits, node labels and taints, and clears them', async () => {
    await coe.run(
      'nodegroup update paris gpu --min-nodes 2 --max-nodes 5 --node-labels a=b,c=d --node-taints x=y:NoExecute',
    )
    await settledParis()
    const changed = await api.get(groupPath('gpu'))
    expect(changed).toMatchObject({ min_node_count: 2, max_node_count: 5, node_labels: { a: 'b', c: 'd' } })
    expect(changed).toMatchObject({ node_taints: [{ key: 'x', value: 'y', effect: 'NoExecute' }] })
    await coe.run('nodegroup update paris gpu', '--node-labels', '', '--node-taints', '')
    await settledParis()
    expect(await api.get(groupPath('gpu'))).toMatchObject({ node_labels: {}, node_taints: [] })
  })

  it('is resized and upgraded through the cluster', async () => {
    await coe.run('cluster resize paris 3 --nodegroup gpu')
    expect(await settledParis()).toMatchObject({ status: 'UPDATE_COMPLETE', node_count: 5 })
    await coe.run('cluster upgrade paris v36 --nodegroup gpu --max-batch-size 2')
    expect(await settledParis()).toMatchObject({ status: 'UPDATE_COMPLETE' })
    expect(await api.get(groupPath('gpu'))).toMatchObject({ node_count: 3, version: 'v1.36.0' })
  })

  it('deletes', async () => {
    expect(await coe.run('nodegroup delete paris gpu')).toContain('gpu has been accepted.')
    expect((await paris()).status).toBe('UPDATE_IN_PROGRESS')
    await api.gone(groupPath('gpu'))
    expect(await settledParis()).toMatchObject({ status: 'UPDATE_COMPLETE', node_count: 2 })
  })
})

describe('openstack coe ca, cluster config and credential', () => {
  const caOf = async (): Promise<X509Certificate> => new X509Certificate(await coe.run('ca show paris'))

  it('signs a request from a file', async () => {
    const made = new X509Certificate(await coe.run('ca sign paris', CSR_FILE))
    const ca = await caOf()
    expect([made.ca, made.verify(ca.publicKey), made.checkIssued(ca)]).toEqual([false, true, true])
  })

  it('writes a kubeconfig whose authority, certificate and key belong together', async () => {
    const folder = path.join(server.folder, 'config')
    mkdirSync(folder)
    const said = await coe.run('cluster config paris --output-certs --dir', folder)
    expect(said.trim()).toBe(`export KUBECONFIG=${folder}/config`)
    const kubeconfig = parse(readFileSync(path.join(folder, 'config'), 'utf8')) as Kubeconfig
    const [{ cluster }, { user }] = [kubeconfig.clusters[0]!, kubeconfig.users[0]!]
    const decode = (text: string): string => Buffer.from(text, 'base64').toString()
    const ca = new X509Certificate(decode(cluster['certificate-authority-data']))
    const made = new X509Certificate(decode(user['client-certificate-data']))
    const key = createPublicKey(createPrivateKey(decode(user['client-key-data'])))
    expect(cluster.server).toBe((await paris()).api_address)
    expect(ca.fingerprint256).toBe((await caOf()).fingerprint256)
    expect([made.verify(ca.publicKey), made.checkIssued(ca), made.publicKey.equals(key)]).toEqual([true, true, true])
    expect(made.subject.split('\n').sort()).toEqual(['CN=admin', 'O=system:masters'])
    expect(readFileSync(path.join(folder, 'ca.pem'), 'utf8')).toBe(decode(cluster['certificate-authority-data']))
  })

  it('writes one without certificates with --use-keystone', async () => {
    const said = await coe.run('cluster config paris --use-keystone --force --dir', path.join(server.folder, 'config'))
    expect(said).toContain('export KUBECONFIG=')
  })

  it('rotates the authority', async () => {
    const before = (await caOf()).fingerprint256
    await coe.run('ca rotate paris')
    expect(await settledParis()).toMatchObject({ status: 'UPDATE_COMPLETE' })
    expect((await caOf()).fingerprint256).not.toBe(before)
  })

  it('rotates the credential, by name', async () => {
    const said = await coe.run('credential rotate paris')
    expect(said).toBe(`Request to rotate credentials for cluster ${(await paris()).uuid} accepted.\n`)
    expect(await settledParis()).toMatchObject({ status: 'UPDATE_COMPLETE' })
  })
})

describe('openstack coe quotas, stats and service', () => {
  const shop = '--project-id shop --resource Cluster'

  it('creates, lists, shows, updates and deletes a quota', async () => {
    expect(await coe.run(`quotas create ${shop} --hard-limit 5`)).toMatch(/hard_limit +\| 5 /)
    expect(await coe.run(`quotas create ${shop}`)).toMatch(/failed:.*\(HTTP 409\)/)
    expect(await coe.run('quotas list --all-tenants --limit 3')).toMatch(/shop +\| Cluster +\| 5 /)
    expect(await coe.run(`quotas show ${shop}`)).toMatch(/hard_limit +\| 5 /)
    expect(await coe.run(`quotas update ${shop} --hard-limit 6`)).toMatch(/hard_limit +\| 6 /)
    expect(await api.get('/v1/quotas/shop/Cluster')).toMatchObject({ hard_limit: 6, project_id: 'shop' })
    expect(await coe.run(`quotas delete ${shop}`)).toContain('has been accepted.')
    expect(await coe.run(`quotas show ${shop}`)).toMatch(/hard_limit +\| 20 /)
  })

  it('counts clusters and nodes', async () => {
    const said = await coe.run('stats list local')
    expect(said).toMatch(/clusters +\| 1 /)
    expect(said).toMatch(/nodes +\| 3 /)
  })

  it('lists workers', async () => {
    const rows = await coe.json<Rows>('service list')
    expect(rows.length).toBeGreaterThan(0)
    expect(rows.map(({ state }) => state)).toEqual(rows.map(() => 'up'))
  })
})

describe('the program openstack itself', () => {
  it('is answered, with a version of its own choice and a token', async () => {
    const { openstack } = await pythonEnvironment()
    const login = ['--os-auth-type', 'admin_token', '--os-token', 'any', '--os-endpoint', `${server.url}/v1`]
    const version = ['--os-container-infra-api-version', '1.12']
    const said = execFileSync(openstack, [...login, ...version, 'coe', 'cluster', 'show', 'paris', '-f', 'json'], {
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    // Up to 1.12 the server says stack_id, which this client does not show.
    expect(JSON.parse(said.toString())).toMatchObject({ name: 'paris', cluster_id: '' })
  })
})

describe('the older client, whose update takes add, replace and remove', () => {
  let older: OpenStackCli

  beforeAll(async () => {
    const { olderClient: PYTHONPATH } = await pythonEnvironment()
    older = await OpenStackCli.start({ OS_AUTH_TYPE: 'none', OS_ENDPOINT: `${server.url}/v1`, PYTHONPATH })
  })
  afterAll(() => older?.close())

  it('changes the count of workers', async () => {
    await older.run('cluster update paris replace node_count=1')
    expect(await settledParis()).toMatchObject({ status: 'UPDATE_COMPLETE', node_count: 1 })
    await older.run('cluster update paris remove node_count')
    expect(await settledParis()).toMatchObject({ status: 'UPDATE_COMPLETE', node_count: 1 })
  })

  it('changes labels as the text of a Python dictionary, and booleans as text', async () => {
    await createTemplate('old', '--labels a=b')
    const values = "labels=k=v,x=it's public=True flavor_id=tiny docker_volume_size=4"
    await older.run(`cluster template update old replace ${values}`)
    const changed = await api.get('/v1/clustertemplates/old')
    expect(changed).toMatchObject({
      labels: { k: 'v', x: "it's" },
      public: true,
      flavor_id: 'tiny',
      docker_volume_size: 4,
    })
    await older.run('cluster template update old remove flavor_id')
    expect(await api.get('/v1/clustertemplates/old')).toMatchObject({ flavor_id: null })
  })

  it('changes the limits of a node group', async () => {
    await older.run('nodegroup update paris default-worker replace min_node_count=1 max_node_count=3')
    await settledParis()
    expect(await api.get(groupPath('default-worker'))).toMatchObject({ min_node_count: 1, max_node_count: 3 })
  })
})

it('has run every subcommand that the plugin has', () => {
  expect([...coe.commandsRun].sort()).toEqual(coe.commands)
})

type Kubeconfig = {
  clusters: { cluster: { server: string; 'certificate-authority-data': string } }[]
  users: { user: { 'client-certificate-data': string; 'client-key-data': string } }[]
}
