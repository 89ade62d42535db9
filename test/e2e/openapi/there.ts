import { CSR } from '../clients/csr.ts'
import type { Status, Traffic } from '../clients/magnum-traffic.ts'

/** Of each kind that a request may delete. */
const DOOMED = ['doomed-0', 'doomed-1', 'doomed-2']

/** For `checks.py`: what its requests are about. */
export type There = {
  path: Record<string, Record<string, string | string[]>>
  body: Record<string, Record<string, unknown>>
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
  'POST /v1/federations': { hostcluster_id: 'host', driver: 'memory@1', member_ids: [], properties: {} },
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
  },
  'DELETE /v1/clusters/{cluster}': { cluster: DOOMED },
  'DELETE /v1/clustertemplates/{clustertemplate}': { clustertemplate: DOOMED },
  'DELETE /v1/clusters/{cluster}/nodegroups/{nodegroup}': { nodegroup: DOOMED },
  'DELETE /v1/federations/{federation}': { federation: DOOMED },
  'DELETE /v1/quotas/{project}/{resource}': { project: DOOMED },
  // Its template is used by no cluster.
  'PATCH /v1/clustertemplates/{clustertemplate}': { clustertemplate: 'free' },
  // These want a cluster that nothing runs on.
  'POST /v1/clusters/{cluster}/actions/upgrade': { cluster: 'upgraded' },
  'PATCH /v1/certificates/{cluster}': { cluster: 'rotated' },
  'PATCH /v1/credentials/{cluster}': { cluster: 'renewed' },
}

/** Makes something of each kind at a server, and tells what. */
export const makeThere = async (api: Traffic): Promise<There> => {
  const create = async (path: string, body: unknown): Promise<void> => {
    const { status, body: said } = await api.send({ method: 'POST', path, version: 'container-infra latest', body })
    if (status > 299) throw new Error(`POST ${path} is ${status}: ${JSON.stringify(said)}`)
  }
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
  return { path: PATHS, body: BODIES, patch: PATCHES }
}
