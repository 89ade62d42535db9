import { givenTemplate } from '../../support/api/entities.ts'
import { BLUE_READER, OWNER, STRANGER } from './principals.ts'
import { type Call, contractTables, type Row } from './row.ts'

/** Section 4.1: labels, the order of checks, the default node groups. */

const create = (body: object, more: Partial<Call> = {}): Call => ({
  line: 'POST /v1/clusters',
  version: 'latest',
  body: { cluster_template_id: '{template}', ...body },
  ...more,
})

type Diffs = [overridden: object, added: object, skipped: object]
/** Of the template: `a: 1, b: 2`. */
const LABELS: [what: string, body: object, labels: object, diffs: Diffs][] = [
  ['absent: the template’s', {}, { a: '1', b: '2' }, [{}, {}, {}]],
  ['empty: the template’s', { labels: {} }, { a: '1', b: '2' }, [{}, {}, {}]],
  ['null: the template’s', { labels: null }, { a: '1', b: '2' }, [{}, {}, {}]],
  ['empty and merged: the template’s', { labels: {}, merge_labels: true }, { a: '1', b: '2' }, [{}, {}, {}]],
  ['given: they replace', { labels: { c: '3' } }, { c: '3' }, [{}, { c: '3' }, { a: '1', b: '2' }]],
  [
    'given, merge_labels false: they replace',
    { labels: { a: '9' }, merge_labels: false },
    { a: '9' },
    [{ a: '1' }, {}, { b: '2' }],
  ],
  [
    'merged: they overlay',
    { labels: { b: '9', c: '3' }, merge_labels: true },
    { a: '1', b: '9', c: '3' },
    [{ b: '2' }, { c: '3' }, {}],
  ],
  [
    'merge_labels as text',
    { labels: { c: '3' }, merge_labels: 'True' },
    { a: '1', b: '2', c: '3' },
    [{}, { c: '3' }, {}],
  ],
  ['an equal value is no difference', { labels: { a: '1', b: '2' } }, { a: '1', b: '2' }, [{}, {}, {}]],
  [
    'values become text',
    { labels: { i: 7, f: 1.5, t: true, n: false, s: '' } },
    { i: '7', f: '1.5', t: 'True', n: 'False', s: '' },
    [{}, { i: '7', f: '1.5', t: 'True', n: 'False', s: '' }, { a: '1', b: '2' }],
  ],
]

const LABEL_ROWS: Row[] = LABELS.map(([what, body, labels, [overridden, added, skipped]]) => ({
  section: '4.1',
  name: `labels ${what}`,
  request: create(body),
  expect: 202,
  after: {
    request: 'GET /v1/clusters/{uuid}',
    expect: {
      status: 200,
      body: { labels, labels_overridden: overridden, labels_added: added, labels_skipped: skipped },
    },
  },
}))

const REFUSED_LABELS: Row[] = [
  ['a null value', { a: null }],
  ['an object as value', { a: {} }],
  ['a list as value', { a: [] }],
  ['a list', ['a']],
  ['a text', 'a=b'],
  ['a number', 5],
].map(([what, labels]) => ({
  section: '4.1',
  name: `labels with ${what} are 400`,
  request: create({ labels }),
  expect: { status: 400, says: 'labels' },
}))

const MERGED: Row = {
  section: '4.2',
  name: 'merge_labels is always shown as false',
  request: create({ labels: { c: '3' }, merge_labels: true }),
  expect: 202,
  after: { request: 'GET /v1/clusters/{uuid}', expect: { status: 200, body: { merge_labels: false } } },
}

const THREE = { master_count: 3 }
/** Requests with several faults; the one that is reported. */
const ORDER: [what: string, request: Call, status: number, says: string][] = [
  ['an unknown template before the master count', create({ ...THREE, cluster_template_id: 'no' }), 404, 'no'],
  ['a size below 3 GB for devicemapper', create({ cluster_template_id: 'mapper', docker_volume_size: 2 }), 400, '3'],
  [
    'the volume size before the quota',
    create({ cluster_template_id: 'mapper', docker_volume_size: 2 }, { as: STRANGER }),
    400,
    '3',
  ],
  [
    'the master size before the quota',
    create({ cluster_template_id: 'open', master_count: 2 }, { as: STRANGER }),
    400,
    'odd',
  ],
  ['the quota before hidden templates', create({ cluster_template_id: 'greens' }, { as: STRANGER }), 403, 'quota'],
  [
    'the quota before the load balancer',
    create({ ...THREE, cluster_template_id: 'open' }, { as: STRANGER }),
    403,
    'quota',
  ],
  [
    'a hidden template before the load balancer',
    create({ ...THREE, cluster_template_id: 'hidden' }, { as: OWNER }),
    403,
    'hidden',
  ],
  ['several masters without a load balancer', create(THREE), 400, 'master_lb_enabled'],
]

const CHECKS: Row[] = [
  ...ORDER.map(
    ([what, request, status, says]): Row => ({
      section: '4.1',
      name: `${what} is ${status}`,
      request,
      expect: { status, says },
    }),
  ),
  {
    section: '4.1',
    name: 'the policy is asked before it is told whether a template is there',
    better: true,
    request: create({ cluster_template_id: 'no' }, { as: BLUE_READER }),
    expect: { status: 403, says: 'cluster:create' },
  },
  {
    section: '4.1',
    name: 'an administrator may use a hidden template',
    request: create({ cluster_template_id: 'hidden' }),
    expect: 202,
  },
  { section: '4.1', name: 'names may be given twice, the first', request: create({ name: 'same' }), expect: 202 },
  { section: '4.1', name: 'names may be given twice, the second', request: create({ name: 'same' }), expect: 202 },
]

const groups = (of: string, body: object) => ({
  request: { line: 'GET /v1/clusters/{uuid}/nodegroups', version: '1.9' },
  expect: { status: 200, of, body },
})
const group = (name: string, body: object) => ({
  request: { line: `GET /v1/clusters/{uuid}/nodegroups/${name}`, version: '1.9' },
  expect: { status: 200, body },
})

const GROUPS: Row[] = [
  {
    section: '4.1',
    name: 'there are default-master and default-worker at once',
    request: create({ node_count: 4 }),
    expect: 202,
    after: groups('nodegroups', [
      { name: 'default-master', role: 'master', is_default: true, node_count: 1, status: 'CREATE_IN_PROGRESS' },
      { name: 'default-worker', role: 'worker', is_default: true, node_count: 4, status: 'CREATE_IN_PROGRESS' },
    ]),
  },
  {
    section: '4.1',
    name: 'default-worker has the image of the template, flavor, labels and volume size of the cluster',
    request: create({ flavor_id: 'big', labels: { c: '3' }, docker_volume_size: 9 }),
    expect: 202,
    after: group('default-worker', {
      image_id: 'ubuntu',
      flavor_id: 'big',
      labels: { c: '3' },
      docker_volume_size: 9,
    }),
  },
  {
    section: '4.1',
    name: 'default-master has the masters’ flavor',
    request: create({ flavor_id: 'big', master_flavor_id: 'huge' }),
    expect: 202,
    after: group('default-master', { image_id: 'ubuntu', flavor_id: 'huge' }),
  },
  {
    section: '4.1',
    name: 'the workers’ least number is the label min_node_count',
    request: create({ node_count: 3, labels: { min_node_count: '2' } }),
    expect: 202,
    after: group('default-worker', { min_node_count: 2 }),
  },
]

contractTables(
  {
    labels: LABEL_ROWS,
    'labels that are refused': [...REFUSED_LABELS, MERGED],
    'order of checks': CHECKS,
    'default node groups': GROUPS,
  },
  async (lab) => {
    await givenTemplate(lab, { name: 'hidden', hidden: true })
    await givenTemplate(lab, { name: 'open', public: true })
    await givenTemplate(lab, { name: 'greens', hidden: true, projectId: 'green' })
    await givenTemplate(lab, { name: 'mapper', public: true, spec: { dockerStorageDriver: 'devicemapper' } })
    await lab.call('POST', '/v1/quotas', { body: { project_id: 'green', hard_limit: 0 } })
    return { template: (await givenTemplate(lab, { driver: 'rigid@1', spec: { labels: { a: '1', b: '2' } } })).id }
  },
)
