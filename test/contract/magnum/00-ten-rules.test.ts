import { expect } from 'vitest'
import { givenCluster, givenTemplate } from '../../support/api/entities.ts'
import { copyCluster, givenReachable } from '../../support/api/node-groups.ts'
import { contractTables, type Given, type Row } from './row.ts'

const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/)
const UUID_ONLY = { status: 202, keys: ['uuid'] }
const CREATE = { line: 'POST /v1/clusters', body: { cluster_template_id: '{template}', name: 'c' } }

const complete: Given = async (lab, { done }) => ({ c: await copyCluster(lab, done!) })
const create = (body: object) => ({ ...CREATE, body: { ...CREATE.body, ...body } })
const patch = (...body: object[]) => ({ line: 'PATCH /v1/clusters/{c}', body })
const action = (name: string, body: object) => ({
  line: `POST /v1/clusters/{c}/actions/${name}`,
  version: 'latest',
  body,
})
const service = (value: string) => ({ line: 'GET /v1/clusters', headers: { 'OpenStack-API-Version': value } })

const RULES_1_TO_3: Row[] = [
  {
    section: '0.1',
    name: 'a refusal is JSON',
    request: 'GET /v1/clusters/none',
    expect: { status: 404, keys: ['errors'], headers: { 'content-type': 'application/json' } },
  },
  {
    section: '0.1',
    name: 'an answer is JSON',
    request: 'GET /v1/clusters',
    expect: { status: 200, headers: { 'content-type': 'application/json' } },
  },
  {
    section: '0.1',
    name: 'a 401 is outside of the envelope',
    request: { line: 'GET /v1/clusters', as: null },
    expect: { status: 401, keys: ['error'] },
  },
  {
    section: '0.2',
    name: 'no header is 1.1',
    request: 'GET /v1/clusters',
    expect: { status: 200, headers: { 'openstack-api-version': 'container-infrastructure-management 1.1' } },
  },
  {
    section: '0.2',
    name: 'without a header there is stack_id',
    request: 'GET /v1/clusters/{done}',
    expect: { status: 200, body: { stack_id: expect.any(String) } },
  },
  ...['container-infra', 'container-infrastructure', 'container-infrastructure-management'].map(
    (type): Row => ({
      section: '0.3',
      name: `${type} latest`,
      request: service(`${type} latest`),
      expect: { status: 200, headers: { 'openstack-api-version': 'container-infrastructure-management 1.14' } },
    }),
  ),
]

const RULE_4: Row[] = [
  { section: '0.4', name: 'cluster create', request: CREATE, expect: UUID_ONLY },
  {
    section: '0.4',
    name: 'cluster PATCH',
    given: complete,
    request: patch({ op: 'replace', path: '/node_count', value: 2 }),
    expect: UUID_ONLY,
  },
  {
    section: '0.4',
    name: 'resize',
    given: complete,
    request: action('resize', { node_count: 2 }),
    expect: UUID_ONLY,
  },
  {
    section: '0.4',
    name: 'upgrade',
    given: complete,
    request: action('upgrade', { cluster_template: '{template}', max_batch_size: 1 }),
    expect: UUID_ONLY,
  },
  {
    section: '0.4',
    name: 'authority rotate',
    given: async (lab) => ({ c: await givenCluster(lab) }),
    request: 'PATCH /v1/certificates/{c}',
    expect: UUID_ONLY,
  },
  {
    section: '0.4',
    name: 'credential rotate',
    given: complete,
    request: { line: 'PATCH /v1/credentials/{c}', version: '1.12' },
    expect: UUID_ONLY,
  },
  {
    section: '0.4',
    name: 'template create',
    request: { line: 'POST /v1/clustertemplates', body: { coe: 'kubernetes', image_id: 'i', name: 't' } },
    expect: {
      status: 201,
      body: { name: 't', links: [{}, {}], created_at: TIME },
      headers: { location: expect.stringMatching(/\/v1\/clustertemplates\/[0-9a-f-]{36}$/) },
    },
  },
  {
    section: '0.4',
    name: 'template PATCH',
    given: async (lab) => ({ t: (await givenTemplate(lab)).id }),
    request: {
      line: 'PATCH /v1/clustertemplates/{t}',
      body: [{ op: 'replace', path: '/name', value: 'new' }],
    },
    expect: { status: 200, body: { uuid: '{t}', name: 'new', links: [{}, {}] } },
  },
  {
    section: '0.4',
    name: 'node group create',
    given: complete,
    request: { line: 'POST /v1/clusters/{c}/nodegroups', version: '1.9', body: { name: 'n' } },
    expect: { status: 202, body: { name: 'n', cluster_id: '{c}', links: [{}, {}] } },
  },
  {
    section: '0.4',
    name: 'node group PATCH',
    given: complete,
    request: {
      line: 'PATCH /v1/clusters/{c}/nodegroups/default-worker',
      version: '1.9',
      body: [{ op: 'replace', path: '/max_node_count', value: 5 }],
    },
    expect: { status: 202, body: { name: 'default-worker', cluster_id: '{c}', links: [{}, {}] } },
  },
  {
    section: '0.4',
    name: 'cluster DELETE has no body',
    given: complete,
    request: 'DELETE /v1/clusters/{c}',
    expect: { status: 204, keys: [], body: null },
  },
  {
    section: '0.4',
    name: 'template DELETE has no body',
    given: async (lab) => ({ t: (await givenTemplate(lab)).id }),
    request: 'DELETE /v1/clustertemplates/{t}',
    expect: { status: 204, body: null },
  },
]

const shows = (status: string) => ({ request: 'GET /v1/clusters/{c}', expect: { status: 200, body: { status } } })

const RULES_5_AND_6: Row[] = [
  {
    section: '0.5',
    name: 'a create is readable at once',
    request: CREATE,
    expect: 202,
    after: {
      request: 'GET /v1/clusters/{uuid}',
      expect: { status: 200, body: { uuid: '{uuid}', status: 'CREATE_IN_PROGRESS' } },
    },
  },
  {
    section: '0.5',
    name: 'PATCH shows at once',
    given: complete,
    request: patch({ op: 'replace', path: '/node_count', value: 2 }),
    expect: 202,
    after: shows('UPDATE_IN_PROGRESS'),
  },
  {
    section: '0.5',
    name: 'resize shows at once',
    given: complete,
    request: action('resize', { node_count: 2 }),
    expect: 202,
    after: shows('UPDATE_IN_PROGRESS'),
  },
  {
    section: '0.5',
    name: 'upgrade shows at once',
    given: complete,
    request: action('upgrade', { cluster_template: '{template}', max_batch_size: 1 }),
    expect: 202,
    after: shows('UPDATE_IN_PROGRESS'),
  },
  {
    section: '0.5',
    name: 'DELETE shows at once',
    given: complete,
    request: 'DELETE /v1/clusters/{c}',
    expect: 204,
    after: shows('DELETE_IN_PROGRESS'),
  },
  {
    section: '0.6',
    name: 'a cluster is in the list as soon as its 202 is out',
    request: create({ name: 'listed' }),
    expect: 202,
    after: { request: 'GET /v1/clusters/listed', expect: { status: 200, body: { uuid: '{uuid}' } } },
  },
]

const RULES_7_TO_10: Row[] = [
  ...['name', 'keypair', 'labels', 'create_timeout', 'discovery_url', 'docker_volume_size', 'flavor_id'].map(
    (field): Row => ({ section: '0.7', name: `${field}: null`, request: create({ [field]: null }), expect: 202 }),
  ),
  { section: '0.7', name: 'an empty name is none', request: create({ name: '' }), expect: 202 },
  ...['true', 'True', '1', 'on'].map(
    (value): Row => ({
      section: '0.7',
      name: `a boolean as text in a patch: ${value}`,
      given: async (lab) => ({ t: (await givenTemplate(lab)).id }),
      request: {
        line: 'PATCH /v1/clustertemplates/{t}',
        body: [{ op: 'replace', path: '/master_lb_enabled', value }],
      },
      expect: { status: 200, body: { master_lb_enabled: true } },
    }),
  ),
  {
    section: '0.7',
    name: 'labels as a Python literal in a patch',
    given: async (lab) => ({ t: (await givenTemplate(lab)).id }),
    request: {
      line: 'PATCH /v1/clustertemplates/{t}',
      body: [{ op: 'replace', path: '/labels', value: "{'k':'v'}" }],
    },
    expect: { status: 200, body: { labels: { k: 'v' } } },
  },
  {
    section: '0.8',
    name: 'label values are text, times have an offset',
    request: create({ labels: { int: 1, float: 1.5, yes: true, text: 'x' } }),
    expect: 202,
    after: {
      request: 'GET /v1/clusters/{uuid}',
      expect: {
        status: 200,
        body: { labels: { int: '1', float: '1.5', yes: 'True', text: 'x' }, created_at: TIME, updated_at: null },
      },
    },
  },
  {
    section: '0.9',
    name: 'a GET may have a JSON content type',
    request: {
      line: 'GET /v1/clusters',
      headers: { 'Content-Type': 'application/json', 'Content-Length': '0' },
    },
    expect: 200,
  },
  {
    section: '0.9',
    name: 'a DELETE may have the content type octet-stream',
    given: complete,
    request: {
      line: 'DELETE /v1/clusters/{c}',
      headers: { 'Content-Type': 'application/octet-stream', 'Content-Length': '0' },
    },
    expect: 204,
  },
  {
    section: '0.9',
    name: 'the authority’s PATCH may have the content type octet-stream',
    given: async (lab) => ({ c: await givenCluster(lab) }),
    request: { line: 'PATCH /v1/certificates/{c}', headers: { 'Content-Type': 'application/octet-stream' } },
    expect: 202,
  },
  {
    section: '0.9',
    name: 'the credentials’ PATCH may have a JSON content type',
    given: complete,
    request: {
      line: 'PATCH /v1/credentials/{c}',
      version: '1.12',
      headers: { 'Content-Type': 'application/json', 'Content-Length': '0' },
    },
    expect: 202,
  },
  {
    section: '0.10',
    name: 'a slash before the query of a PATCH',
    given: complete,
    request: { line: 'PATCH /v1/clusters/{c}/?rollback=True', version: 'latest', body: [] },
    expect: 202,
  },
  {
    section: '0.10',
    name: 'a slash after nodegroups: list',
    request: { line: 'GET /v1/clusters/{done}/nodegroups/', version: '1.9' },
    expect: 200,
  },
  {
    section: '0.10',
    name: 'a slash after nodegroups: create',
    given: complete,
    request: { line: 'POST /v1/clusters/{c}/nodegroups/', version: '1.9', body: { name: 'n' } },
    expect: 202,
  },
]

contractTables(
  {
    'rules 1 to 3: JSON, versions': RULES_1_TO_3,
    'rule 4: codes and bodies': RULE_4,
    'rules 5 and 6: status before the answer': RULES_5_AND_6,
    'rules 7 to 10: what clients send': RULES_7_TO_10,
  },
  async (lab) => ({ done: await givenReachable(lab), template: (await givenTemplate(lab, { name: 'base' })).id }),
)
