import { CSR } from '../clients/csr.ts'
import type { Status, Traffic } from '../clients/magnum-traffic.ts'

/** Of each kind that a request may delete. */
const DOOMED = ['doomed-0', 'doomed-1', 'doomed-2']

/** For `checks.py`: what its requests are about. */
export type There = {
  path: Record<string, Record<string, string | string[]>>
  body: Record<string, Record<string, unknown>>
  /** URL of a hook: its token is in no document, so that nobody finds it by chance. */
  hookUrl: string
  patch: Record<string, string[]>
}

const NO_ORIGIN = { driver: null, kubeconfig: null, context: null, insecure_skip_tls_verify: null }

const BODIES: There['body'] = {
  'POST /v1/clusters': {
    ...NO_ORIGIN,
    cluster_template_id: 'simulated',
    server_for_peers: null,
    labels: {},
    master_count: 1,
    node_count: 1,
  },
  'POST /v1/clusters/{cluster}/actions/resize': { node_count: 2, nodegroup: null },
  'POST /v1/clusters/{cluster}/actions/upgrade': { cluster_template: 'simulated', nodegroup: null },
  'POST /v1/clusters/{cluster}/nodegroups': {
    // One that no group has: a name by chance may be one of those that are there.
    name: 'added',
    node_count: 1,
    min_node_count: null,
    max_node_count: null,
    role: 'worker',
    labels: {},
    node_labels: {},
    node_taints: [],
  },
  'POST /v1/clustertemplates': { driver: 'memory@1' },
  'PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup}': { min_node_count: 0, max_node_count: 9, node_labels: {} },
  'POST /v1/certificates': { cluster_uuid: 'kept', csr: CSR, ca_cert_type: null },
  'POST /v1/federations': { hostcluster_id: 'host', host: null, driver: 'memory@1', member_ids: [], properties: {} },
  'POST /v1/clusters/{cluster}/grants': {
    project_id: 'shop',
    federation_id: null,
    actions: ['join'],
    rights: 'view',
    expires_at: null,
  },
  'POST /v1/triggers': { events: ['cluster.*'], filter: null, target: { url: 'https://127.0.0.1:9/hook' } },
}

const PATCHES: There['patch'] = {
  'PATCH /v1/clusters/{cluster}': [
    '/node_count',
    '/health_status',
    '/health_status_reason',
    '/kubeconfig',
    '/labels/a',
  ],
  'PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup}': [
    '/min_node_count',
    '/max_node_count',
    '/node_labels',
    '/node_taints',
    '/node_labels/a',
    '/node_taints/0',
  ],
  'PATCH /v1/clustertemplates/{clustertemplate}': [
    '/name',
    '/labels',
    '/labels/a',
    '/docker_volume_size',
    '/public',
    '/tags',
    '/dns_nameserver',
    '/flavor_id',
  ],
  'PATCH /v1/federations/{federation}': ['/member_ids', '/properties', '/properties/a', '/member_ids/0'],
}

const PATHS: There['path'] = {
  '*': {
    cluster: 'kept',
    clustertemplate: 'simulated',
    nodegroup: 'default-worker',
    federation: 'fleet',
    driver: 'memory@1',
    project: 'shop',
    resource: 'Cluster',
    trigger: 'pager',
  },
  'DELETE /v1/clusters/{cluster}': { cluster: DOOMED },
  'DELETE /v1/clustertemplates/{clustertemplate}': { clustertemplate: DOOMED },
  'DELETE /v1/clusters/{cluster}/nodegroups/{nodegroup}': { nodegroup: DOOMED },
  'DELETE /v1/federations/{federation}': { federation: DOOMED },
  'DELETE /v1/quotas/{project}/{resource}': { project: DOOMED },
  'DELETE /v1/triggers/{trigger}': { trigger: DOOMED },
  // Its template is used by no cluster.
  'PATCH /v1/clustertemplates/{clustertemplate}': { clustertemplate: 'free' },
  // These want a cluster that nothing runs on.
  'POST /v1/clusters/{cluster}/actions/upgrade': { cluster: 'upgraded' },
  'PATCH /v1/certificates/{cluster}': { cluster: 'rotated' },
  'PATCH /v1/credentials/{cluster}': { cluster: 'renewed' },
}

type Create = (path: string, body: unknown) => Promise<string>

/** Creates as a client, and gives the uuid. */
const creating =
  (api: Traffic): Create =>
  async (path, body) => {
    const { status, body: said } = await api.send({ method: 'POST', path, version: 'container-infra latest', body })
    if (status > 299) throw new Error(`POST ${path} is ${status}: ${JSON.stringify(said)}`)
    return (said as { uuid: string }).uuid
  }

/** Who else takes part: a client of the project `shop`, and a URL that takes the messages of a trigger. */
export type Others = { shop: Traffic; receiver: string }

/** Makes something of each kind at a server, and tells what. */
export const makeThere = async (api: Traffic, { shop, receiver }: Others): Promise<There> => {
  const create = creating(api)
  const clusters = ['kept', 'host', 'upgraded', 'rotated', 'renewed', ...DOOMED]
  for (const name of ['simulated', 'free', ...DOOMED]) {
    await create('/v1/clustertemplates', { name, coe: 'kubernetes', image_id: 'none' })
  }
  for (const name of clusters) await create('/v1/clusters', { name, cluster_template_id: 'simulated' })
  for (const name of clusters) await api.settled<Status>(`/v1/clusters/${name}`)
  const federation = { hostcluster_id: 'host', driver: 'memory@1' }
  await create('/v1/federations', { name: 'fleet', member_ids: ['kept'], ...federation })
  for (const name of DOOMED) {
    await create('/v1/federations', { name, ...federation })
    await create('/v1/clusters/kept/nodegroups', { name })
    await create('/v1/quotas', { project_id: name, resource: 'Cluster' })
  }
  await create('/v1/quotas', { project_id: 'shop', resource: 'Cluster', hard_limit: 5 })
  for (const name of ['fleet', ...DOOMED]) await api.settled<Status>(`/v1/federations/${name}`)
  await api.settled<Status>('/v1/clusters/kept')
  const [shared, triggers] = [await makeShared(api, create, shop), await makeTriggers(api, create, receiver)]
  const hooks = await makeHooks(api)
  const path = { ...PATHS, ...shared, ...triggers, ...hooks.path }
  return { path, body: BODIES, hookUrl: hooks.url, patch: PATCHES }
}

/** Hooks, of which one stays. */
const makeHooks = async (api: Traffic): Promise<{ path: There['path']; url: string }> => {
  const urlOf = async (name: string): Promise<string> => {
    const version = 'container-infra latest'
    const { body } = await api.send({ method: 'POST', path: '/v1/clusters/kept/hooks', version, body: { name } })
    return (body as { url: string }).url
  }
  const url = await urlOf('kept')
  const doomed = await Promise.all(DOOMED.map(urlOf))
  const ids = doomed.map((text) => new URL(text).pathname.split('/').at(-1) ?? '')
  return { path: { 'DELETE /v1/clusters/{cluster}/hooks/{hook}': { hook: ids } }, url }
}

/** Grants, and federations of another project that a cluster can leave. */
const makeShared = async (api: Traffic, create: Create, shop: Traffic): Promise<There['path']> => {
  const grant = { project_id: 'shop', actions: ['join'], rights: 'more' }
  const kept = await create('/v1/clusters/kept/grants', grant)
  const doomed = await Promise.all(DOOMED.map(() => create('/v1/clusters/kept/grants', grant)))
  const { uuid: lent } = await api.get<{ uuid: string }>('/v1/clusters/kept')
  const createThere = creating(shop)
  const template = await createThere('/v1/clustertemplates', { name: 'bought', coe: 'kubernetes', image_id: 'none' })
  await createThere('/v1/clusters', { name: 'hub', cluster_template_id: template })
  await shop.settled<Status>('/v1/clusters/hub')
  const federations: string[] = []
  for (const name of DOOMED) {
    const body = { name, hostcluster_id: 'hub', driver: 'memory@1', member_ids: [lent] }
    federations.push(await createThere('/v1/federations', body))
    await shop.settled<Status>(`/v1/federations/${name}`)
  }
  return {
    'GET /v1/clusters/{cluster}/grants/{grant}': { grant: kept },
    'DELETE /v1/clusters/{cluster}/grants/{grant}': { grant: doomed },
    'DELETE /v1/clusters/{cluster}/federations/{federation}': { federation: federations },
  }
}

/** Triggers, of which one has delivered something. */
const makeTriggers = async (api: Traffic, create: Create, receiver: string): Promise<There['path']> => {
  for (const name of ['pager', ...DOOMED]) {
    await create('/v1/triggers', { name, events: ['federation.*'], target: { url: receiver } })
  }
  const delivery = await create('/v1/triggers/pager/actions/test', {})
  const isDelivered = async (): Promise<boolean> => {
    const { deliveries } = await api.get<{ deliveries: { uuid: string; state: string }[] }>(
      '/v1/triggers/pager/deliveries',
    )
    return deliveries.some(({ uuid, state }) => uuid === delivery && state === 'delivered')
  }
  while (!(await isDelivered()));
  return { 'POST /v1/triggers/{trigger}/deliveries/{delivery}/actions/replay': { delivery } }
}
