import { expect } from 'vitest'
import { changeCluster, givenCluster, givenFederation, givenTemplate } from '../../support/api/entities.ts'
import { type ApiLab, BASE_URL } from '../../support/api/lab.ts'
import { copyCluster, givenReachable } from '../../support/api/node-groups.ts'
import { BLUE_READER, OWNER, STRANGER } from './principals.ts'
import { type Call, contractTables, type Given, type Row } from './row.ts'

/** The services' list fails once, as when something unforeseen happens. */
const unforeseen: Given = async (lab: ApiLab) => {
  const { heartbeats } = lab.stores
  const { list } = heartbeats
  heartbeats.list = () => {
    heartbeats.list = list
    return Promise.reject(new Error('secret detail'))
  }
  return {}
}

const ENVELOPE: Row[] = [
  {
    section: '3',
    name: 'exact keys of a refusal',
    request: 'GET /v1/clusters/none',
    expect: {
      status: 404,
      of: 'errors.0',
      keys: ['request_id', 'code', 'status', 'title', 'detail', 'links'],
      body: { request_id: '', code: 'client', status: 404, links: [] },
    },
  },
  {
    section: '3',
    name: 'the title is a whole sentence, dots in names or not',
    better: true,
    request: 'GET /v1/clusters/a.b.c',
    expect: { status: 404, title: expect.stringMatching(/a\.b\.c.*\.$/), says: 'a.b.c' },
  },
  {
    section: '3',
    name: 'code is client for refusals of the application',
    request: { line: 'POST /v1/clusters', body: {} },
    expect: { status: 400, code: 'client' },
  },
  {
    section: '3',
    name: 'code is empty for an unknown path',
    request: 'GET /v1/nothing',
    expect: { status: 404, code: '' },
  },
  {
    section: '3',
    name: 'code is empty for a wrong method',
    request: 'PUT /v1/clusters',
    expect: { status: 405, code: '' },
  },
  {
    section: '3',
    name: 'code is empty for Accept',
    request: { line: 'GET /v1/clusters', headers: { Accept: 'text/html' } },
    expect: { status: 406, code: '' },
  },
  {
    section: '3',
    name: 'code is server for a 500, which tells nothing of the cause',
    given: unforeseen,
    request: 'GET /v1/mservices',
    expect: { status: 500, code: 'server', title: expect.not.stringContaining('secret') },
  },
  {
    section: '3',
    name: 'a 401 has its own body and header',
    request: { line: 'GET /v1/clusters', as: 'The token has expired.' },
    expect: {
      status: 401,
      of: 'error',
      keys: ['code', 'title', 'message'],
      body: { code: 401, title: 'Unauthorized', message: 'The token has expired.' },
      headers: { 'www-authenticate': `Keystone uri="${BASE_URL}"`, 'content-type': 'application/json' },
    },
  },
]

type Refusal = [what: string, request: Call, given?: Given]

const post = (path: string, body: unknown, more: Partial<Call> = {}): Call => ({
  line: `POST /v1/${path}`,
  body,
  version: 'latest',
  ...more,
})
const group = (body: object): Call => post('clusters/{done}/nodegroups', { name: 'n', ...body })
const TEMPLATE = { coe: 'kubernetes', image_id: 'i' }
const CLUSTER = { cluster_template_id: '{template}' }
const FEDERATION = { hostcluster_id: '{done}', properties: { 'dns-zone': 'example.com' } }

const REFUSALS: Record<number, Refusal[]> = {
  400: [
    ['validation', post('clusters', { ...CLUSTER, node_count: -1 })],
    ['a bad patch', { line: 'PATCH /v1/clusters/{done}', body: [{ op: 'move', path: '/name' }] }],
    ['a template in use', { line: 'DELETE /v1/clustertemplates/{used}' }],
    ['an unknown template below 1.10', post('clusters', { cluster_template_id: 'none' }, { version: '1.9' })],
    ['an unknown cluster in a certificate’s POST', post('certificates', { cluster_uuid: 'none', csr: 'x' })],
    ['what is not supported', post('clusters/{rigid}/actions/resize', { node_count: 2 })],
  ],
  403: [
    ['a reader’s create', post('clusters', CLUSTER, { as: BLUE_READER })],
    ['a hidden template', post('clusters', { cluster_template_id: '{hidden}' }, { as: OWNER })],
    ['to publish', post('clustertemplates', { ...TEMPLATE, public: true }, { as: OWNER })],
    ['to hide', post('clustertemplates', { ...TEMPLATE, hidden: true }, { as: OWNER })],
    ['a cluster beyond the quota', post('clusters', { cluster_template_id: '{public}' }, { as: STRANGER })],
    ['the stats of another project', { line: 'GET /v1/stats?project_id=blue', as: STRANGER }],
    ['the quota of another project', { line: 'GET /v1/quotas/blue/Cluster', as: STRANGER }],
  ],
  404: [
    ['an object that is not visible', { line: 'GET /v1/clusters/{done}', as: STRANGER }],
    ['an unknown template from 1.10', post('clusters', { cluster_template_id: 'none' }, { version: '1.10' })],
    [
      'a cluster that is no member',
      {
        line: 'PATCH /v1/federations/{federation}',
        body: [{ op: 'remove', path: '/member_ids', value: '{template}' }],
      },
    ],
    ['an unknown marker', { line: 'GET /v1/clusters?marker=00000000-0000-4000-8000-00000000dead' }],
    ['a quota that is not set', { line: 'DELETE /v1/quotas/none/Cluster' }],
  ],
  409: [
    ['a name of two', { line: 'GET /v1/clustertemplates/twice' }],
    ['a UUID that is there', post('clustertemplates', { ...TEMPLATE, uuid: '{template}' })],
    ['a quota that is there', post('quotas', { project_id: 'green' })],
    ['a node group’s name that is there', group({ name: 'default-worker' })],
    [
      'a member that is there',
      { line: 'PATCH /v1/federations/{federation}', body: [{ op: 'add', path: '/member_ids', value: '{member}' }] },
    ],
    ['a node group’s limits', group({ node_count: 1, min_node_count: 2 })],
    ['a node group’s taints', group({ node_taints: [{ key: 'k', effect: 'Never' }] })],
    ['a node group’s labels', group({ node_labels: { 'kubernetes.io/x': 'y' } })],
    [
      'an API address that is not known yet',
      post('clusters/{c}/nodegroups', { name: 'n' }),
      async (lab, { done }) => {
        const c = await copyCluster(lab, done!)
        await changeCluster(lab, c, { endpoint: null })
        return { c }
      },
    ],
    [
      'a template that the group may not be upgraded to',
      post('clusters/{c}/actions/upgrade', { cluster_template: '{template}', max_batch_size: 1, nodegroup: 'more' }),
      async (lab, { more }) => ({ c: await copyCluster(lab, more!) }),
    ],
    ['a federation whose name is that of two', { line: 'DELETE /v1/federations/twice' }],
    ['the deletion of a host', { line: 'DELETE /v1/clusters/{done}' }],
  ],
  415: [['an unknown media type', { ...post('clusters', 'a=b'), headers: { 'Content-Type': 'text/plain' } }]],
}

const STATUSES: Row[] = Object.entries(REFUSALS).flatMap(([status, refusals]) =>
  refusals.map(([what, request, given]) => ({
    section: '3',
    name: `${what} is ${status}`,
    ...(given === undefined ? {} : { given }),
    request,
    expect: Number(status),
  })),
)

const NAMED: Row[] = [
  ['cluster:create', post('clusters', CLUSTER, { as: BLUE_READER })],
  ['cluster:delete', { line: 'DELETE /v1/clusters/{done}', as: BLUE_READER }],
  ['clustertemplate:publish', post('clustertemplates', { ...TEMPLATE, public: true }, { as: OWNER })],
  ['federation:create', post('federations', FEDERATION, { as: BLUE_READER })],
  ['quota:get_all', { line: 'GET /v1/quotas?all_tenants=True', as: OWNER }],
  ['magnum-service:get_all', { line: 'GET /v1/mservices', as: OWNER }],
].map(([rule, request]) => ({
  section: '3',
  name: `a 403 names the rule ${rule}`,
  request: request as Call,
  expect: { status: 403, code: 'client', says: String(rule) },
}))

contractTables({ envelope: ENVELOPE, statuses: STATUSES, policies: NAMED }, async (lab) => {
  const done = await givenReachable(lab)
  const template = await givenTemplate(lab)
  const used = await givenTemplate(lab, { name: 'used' })
  await lab.call('POST', '/v1/clusters', { body: { cluster_template_id: used.id } })
  for (const name of ['twice', 'twice']) {
    await givenTemplate(lab, { name })
    await givenFederation(lab, { name, host: done })
  }
  await lab.call('POST', '/v1/quotas', { body: { project_id: 'green', hard_limit: 0 } })
  const more = await copyCluster(lab, done)
  const member = await copyCluster(lab, done)
  const version = { 'OpenStack-API-Version': 'container-infra latest' }
  await lab.call('POST', `/v1/clusters/${more}/nodegroups`, { headers: version, body: { name: 'more' } })
  return {
    done,
    more,
    member,
    template: template.id,
    used: used.id,
    rigid: await givenCluster(lab, { body: { driver: 'rigid@1' } }),
    hidden: (await givenTemplate(lab, { hidden: true })).id,
    public: (await givenTemplate(lab, { public: true })).id,
    federation: (await givenFederation(lab, { host: done, members: [member] })).id,
  }
})
