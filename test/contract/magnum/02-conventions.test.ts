import { expect } from 'vitest'
import { givenCluster, givenFederation, givenTemplate } from '../../support/api/entities.ts'
import { copyCluster, givenReachable } from '../../support/api/node-groups.ts'
import { STRANGER } from './principals.ts'
import { contractTables, type Given, type Row } from './row.ts'

const NOBODYS = '00000000-0000-4000-8000-00000000dead'
/** Like a UUID, and a name that clusters may have. */
const UUID_NAME = 'abcdef00-0000-4000-8000-000000000001'
const TIME = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?\+00:00$/)

const complete: Given = async (lab, { done }) => ({ c: await copyCluster(lab, done!) })

const IDENTIFIERS: [what: string, target: string, status: number][] = [
  ['a cluster by UUID', 'clusters/{done}', 200],
  ['a cluster by name', 'clusters/named', 200],
  ['a cluster by a name of two', 'clusters/twice', 409],
  ['a cluster by an unknown name', 'clusters/nothing', 404],
  ['a cluster by an unknown UUID', `clusters/${NOBODYS}`, 404],
  ['a cluster by its UUID without dashes', 'clusters/{undashed}', 404],
  ['a cluster by its UUID in capitals', 'clusters/{capitals}', 404],
  ['a cluster whose name is like a UUID, by that', `clusters/${UUID_NAME}`, 404],
  ['a template by UUID', 'clustertemplates/{template}', 200],
  ['a template by name', 'clustertemplates/single', 200],
  ['a template by a name of two', 'clustertemplates/twice', 409],
  ['a template by an unknown name', 'clustertemplates/nothing', 404],
  ['a federation by UUID', 'federations/{federation}', 200],
  ['a federation by name', 'federations/fleet', 200],
  ['a federation by a name of two', 'federations/twice', 409],
  ['a federation by an unknown name', 'federations/nothing', 404],
  ['a node group by name', 'clusters/{done}/nodegroups/default-worker', 200],
  ['a node group by UUID', 'clusters/{done}/nodegroups/{group}', 200],
  ['a node group of another cluster', 'clusters/named/nodegroups/{group}', 404],
  ['a node group by an unknown name', 'clusters/{done}/nodegroups/nothing', 404],
  ['a node group of a cluster by its name', 'clusters/named/nodegroups/default-worker', 200],
  ['an authority by the name of two clusters', 'certificates/twice', 409],
]

const NAMES: Row[] = IDENTIFIERS.map(([what, target, status]) => ({
  section: '2',
  name: `${what} is ${status}`,
  request: { line: `GET /v1/${target}`, version: 'latest' },
  expect: status,
}))

const OTHER_PROJECT: Row[] = ['clusters/{done}', 'clustertemplates/{template}', 'federations/{federation}'].map(
  (target) => ({
    section: '2',
    name: `${target} of another project is 404`,
    request: { line: `GET /v1/${target}`, as: STRANGER },
    expect: 404,
  }),
)

const VALUES: Row[] = [
  {
    section: '2',
    name: 'updated_at is null until the first change',
    given: async (lab) => ({ t: (await givenTemplate(lab)).id }),
    request: 'GET /v1/clustertemplates/{t}',
    expect: { status: 200, body: { created_at: TIME, updated_at: null } },
  },
  {
    section: '2',
    name: 'updated_at is a time after a change',
    given: async (lab) => ({ t: (await givenTemplate(lab)).id }),
    request: { line: 'PATCH /v1/clustertemplates/{t}', body: [{ op: 'replace', path: '/name', value: 'x' }] },
    expect: 200,
    after: { request: 'GET /v1/clustertemplates/{t}', expect: { status: 200, body: { updated_at: TIME } } },
  },
  {
    section: '2',
    name: 'known but empty attributes are null',
    request: 'GET /v1/clusters/{done}',
    expect: { status: 200, body: { discovery_url: null, fixed_network: null, fixed_subnet: null, keypair: null } },
  },
]

const CLUSTER = { cluster_template_id: '{template}' }
const TEMPLATE = { coe: 'kubernetes', image_id: 'i' }
const FEDERATION = { hostcluster_id: '{done}', properties: { 'dns-zone': 'example.com' } }

/** Each POST with a body that would be taken, one attribute that may not be in it, and those that must. */
const POSTS: [path: string, body: object, readOnly: string, mandatory: string[]][] = [
  ['clusters', CLUSTER, 'project_id', []],
  ['clustertemplates', TEMPLATE, 'created_at', ['coe', 'image_id']],
  ['federations', FEDERATION, 'created_at', ['hostcluster_id']],
  ['clusters/{done}/nodegroups', { name: 'n' }, 'node_addresses', ['name']],
  ['quotas', { project_id: 'p' }, 'created_at', ['project_id']],
  ['clusters/{done}/actions/resize', { node_count: 1 }, 'uuid', ['node_count']],
  ['clusters/{done}/actions/upgrade', { cluster_template: '{template}', max_batch_size: 1 }, 'uuid', []],
  ['certificates', { cluster_uuid: '{done}', csr: 'x' }, 'pem', ['csr']],
]

const BODIES: Row[] = POSTS.flatMap(([path, body, readOnly, mandatory]) => {
  const row = (name: string, sent: unknown, status = 400): Row => ({
    section: '2',
    name: `POST ${path}: ${name} is ${status}`,
    request: { line: `POST /v1/${path}`, version: 'latest', ...(sent === undefined ? {} : { body: sent }) },
    expect: status,
  })
  return [
    row('an unknown attribute', { ...body, colour: 'red' }),
    row(`${readOnly}`, { ...body, [readOnly]: null }),
    ...mandatory.map((key) => row(`no ${key}`, { ...body, [key]: undefined })),
    row('bad JSON', '{"a": '),
    row('no body', undefined),
    row('a list', [body]),
    row('a text', '"x"'),
  ]
})

const content = (type: string, body: unknown) => ({
  line: 'POST /v1/clustertemplates',
  headers: { 'Content-Type': type },
  body,
})

const MEDIA: Row[] = [
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['application/octet-stream', 415],
  ['application/json', 201],
  ['application/json; charset=utf-8', 201],
].map(([type, status]) => ({
  section: '2',
  name: `a body of ${type} is ${status}`,
  request: content(String(type), TEMPLATE),
  expect: Number(status),
}))

const MORE: Row[] = [
  {
    section: '2',
    name: 'a body without a content type is taken',
    better: true,
    request: content('', TEMPLATE),
    expect: 201,
  },
  ...['text/html', 'application/xml'].map(
    (accept): Row => ({
      section: '2',
      name: `Accept ${accept} is 406 with an empty title`,
      request: { line: 'GET /v1/clusters', headers: { Accept: accept } },
      expect: { status: 406, code: '', title: '' },
    }),
  ),
  ...['2', '02'].map(
    (value): Row => ({
      section: '2',
      name: `an integer as the text "${value}" in a create`,
      request: { line: 'POST /v1/clusters', body: { ...CLUSTER, node_count: value } },
      expect: 202,
      after: { request: 'GET /v1/clusters/{uuid}', expect: { status: 200, body: { node_count: 2 } } },
    }),
  ),
  {
    section: '2',
    name: 'an integer as text in a PATCH, as Horizon sends it',
    better: true,
    given: complete,
    request: { line: 'PATCH /v1/clusters/{c}', body: [{ op: 'replace', path: '/node_count', value: '2' }] },
    expect: 202,
    after: {
      request: { line: 'GET /v1/clusters/{c}/nodegroups/default-worker', version: '1.9' },
      expect: { status: 200, body: { node_count: 2 } },
    },
  },
]

/** What Magnum answers with 500 (section 2, corrected by 13.5 and 13.6). */
const NOT_500: [what: string, line: string, body: unknown, status: number][] = [
  ['a null label', 'POST /v1/clusters', { ...CLUSTER, labels: { a: null } }, 400],
  ['a null label of a template', 'POST /v1/clustertemplates', { ...TEMPLATE, labels: { a: null } }, 400],
  ['an ambiguous boolean', 'POST /v1/clusters', { ...CLUSTER, master_lb_enabled: 'perhaps' }, 400],
  ['an ambiguous boolean of a template', 'POST /v1/clustertemplates', { ...TEMPLATE, public: 'perhaps' }, 400],
  ['a node group without a name', 'POST /v1/clusters/{done}/nodegroups', {}, 400],
  ['a node group named null', 'POST /v1/clusters/{done}/nodegroups', { name: null }, 400],
  ['a certificate without a request', 'POST /v1/certificates', { cluster_uuid: '{done}' }, 400],
  ['a quota without a project', 'POST /v1/quotas', { hard_limit: 1 }, 400],
  ['rollback=perhaps', 'PATCH /v1/clusters/{done}?rollback=perhaps', [], 400],
]

const BETTER: Row[] = NOT_500.map(([what, line, body, status]) => ({
  section: '2',
  name: `${what} is ${status}`,
  better: true,
  request: { line, version: 'latest', body },
  expect: status,
}))

const METHODS: Row[] = [
  ...[
    'PUT /v1/clusters',
    'PUT /v1/clusters/x',
    'GET /v1/clusters/x/actions/resize',
    'PUT /v1/clustertemplates/x',
    'PUT /v1/federations',
    'PUT /v1/federations/x',
    'PUT /v1/clusters/x/nodegroups/y',
    'GET /v1/certificates',
    'GET /v1/credentials/x',
    'POST /v1/stats',
    'POST /v1/mservices',
  ].map(
    (line): Row => ({
      section: '2',
      name: `${line} is 405`,
      request: { line, version: 'latest' },
      expect: { status: 405, code: '' },
    }),
  ),
  ...[
    'GET /v1/nothing',
    'GET /nothing',
    'GET /v2',
    'GET /v1/clusters/x/detail',
    'GET /v1/clusters/x/y',
    'POST /v1/clusters/x/actions/reboot',
    'GET /v1/clustertemplates/x/y',
  ].map(
    (line): Row => ({
      section: '2',
      name: `${line} is 404`,
      request: { line, version: 'latest', ...(line.startsWith('POST') ? { body: {} } : {}) },
      expect: { status: 404 },
    }),
  ),
]

contractTables(
  {
    identifiers: NAMES,
    'other projects': OTHER_PROJECT,
    'times and nulls': VALUES,
    bodies: BODIES,
    'media types': [...MEDIA, ...MORE],
    'client mistakes': BETTER,
    'methods and paths': METHODS,
  },
  async (lab) => {
    const done = await givenReachable(lab)
    await givenCluster(lab, { name: 'named' })
    for (const name of ['twice', 'twice', UUID_NAME]) await givenCluster(lab, { name })
    for (const name of ['twice', 'twice']) {
      await givenTemplate(lab, { name })
      await givenFederation(lab, { name, host: done })
    }
    const [, worker] = await lab.stores.nodeGroups.listOf({ projectId: 'blue', id: done })
    return {
      done,
      undashed: done.replaceAll('-', ''),
      capitals: done.toUpperCase(),
      group: worker!.id,
      template: (await givenTemplate(lab, { name: 'single' })).id,
      federation: (await givenFederation(lab, { name: 'fleet', host: done })).id,
    }
  },
)
