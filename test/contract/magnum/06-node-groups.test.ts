import { changeCluster, givenTemplate, settleCluster } from '../../support/api/entities.ts'
import { copyCluster, givenGroup, givenReachable } from '../../support/api/node-groups.ts'
import { BLUE_READER } from './principals.ts'
import { type Call, contractTables, type Expectation, type Given, type Row } from './row.ts'

/** Section 6: create, list, show. */

const fresh: Given = async (lab, { done }) => ({ c: await copyCluster(lab, done!) })
const text = (length: number): string => 'x'.repeat(length)

const create = (body: unknown, cluster = '{c}', more: Partial<Call> = {}): Call => ({
  line: `POST /v1/clusters/${cluster}/nodegroups`,
  version: '1.9',
  body,
  ...more,
})

const words = (value: unknown): string => {
  const json = JSON.stringify(value) ?? 'nothing'
  return json.length < 60 ? json : `${json.length - 2} characters`
}

/** What is taken, with what is shown; the cluster has the flavor `small`, the image `ubuntu` and the labels `a: 1`. */
const TAKEN: [body: object, shown: object][] = [
  [{}, { node_count: 1, min_node_count: 0, max_node_count: null, role: 'worker', is_default: false }],
  [{ name: 'free text, ä / 1' }, { name: 'free text, ä / 1' }],
  [{ name: text(255) }, { name: text(255) }],
  [{ node_count: 0 }, { node_count: 0 }],
  [{ node_count: '3' }, { node_count: 3 }],
  [{ node_count: null }, { node_count: 1 }],
  [{ node_count: 3, min_node_count: 3 }, { min_node_count: 3 }],
  [{ min_node_count: null }, { min_node_count: 0 }],
  [{ node_count: 3, max_node_count: 3 }, { max_node_count: 3 }],
  [{ node_count: 3, max_node_count: 0 }, { max_node_count: 0 }],
  [{ max_node_count: null }, { max_node_count: null }],
  [{ role: 'gpu' }, { role: 'gpu' }],
  [{ role: null }, { role: 'worker' }],
  [{}, { flavor_id: 'small', image_id: 'ubuntu', labels: { a: '1' } }],
  [
    { flavor_id: 'big', image_id: 'other' },
    { flavor_id: 'big', image_id: 'other' },
  ],
  [{ labels: { b: '2' } }, { labels: { b: '2' }, labels_added: { b: '2' }, labels_skipped: { a: '1' } }],
  [
    { labels: { b: '2' }, merge_labels: true },
    { labels: { a: '1', b: '2' }, merge_labels: false },
  ],
  [{ labels: { a: '9' } }, { labels: { a: '9' }, labels_overridden: { a: '1' } }],
  [{ docker_volume_size: 1 }, { docker_volume_size: 1 }],
  [{ docker_volume_size: null }, { status: 'CREATE_IN_PROGRESS' }],
  [{ node_labels: { 'example.com/a': 'b' } }, { node_labels: { 'example.com/a': 'b' } }],
  [{ node_labels: { 'node.kubernetes.io/a': 'b' } }, { node_labels: { 'node.kubernetes.io/a': 'b' } }],
  [{ node_taints: [{ key: 'k', effect: 'NoSchedule' }] }, { node_taints: [{ key: 'k', effect: 'NoSchedule' }] }],
  [
    { node_taints: [{ key: 'k', value: 'v', effect: 'NoExecute' }] },
    { node_taints: [{ key: 'k', value: 'v', effect: 'NoExecute' }] },
  ],
  [{ node_taints: [{ key: 'k', effect: 'PreferNoSchedule' }] }, { node_taints: [{ effect: 'PreferNoSchedule' }] }],
  [
    { id: 4711, is_default: true, status: 'CREATE_COMPLETE' },
    { is_default: false, status: 'CREATE_IN_PROGRESS' },
  ],
]

const CREATES: Row[] = TAKEN.map(([body, shown]) => ({
  section: '6',
  name: `create with ${words(body)} shows ${words(shown)}`,
  given: fresh,
  request: create({ name: 'n', ...body }),
  expect: { status: 202, body: shown },
}))

const REFUSED_400: [body: object, says: string][] = [
  [{ name: text(256) }, 'name'],
  [{ name: 5 }, 'name'],
  [{ name: '' }, 'name'],
  [{ node_count: -1 }, 'node_count'],
  [{ node_count: 1.5 }, 'node_count'],
  [{ node_count: 'x' }, 'node_count'],
  [{ min_node_count: -1 }, 'min_node_count'],
  [{ max_node_count: -1 }, 'max_node_count'],
  [{ role: 'master' }, 'master'],
  [{ role: 5 }, 'role'],
  [{ flavor_id: text(256) }, 'flavor_id'],
  [{ docker_volume_size: 0 }, 'docker_volume_size'],
  [{ labels: { a: null } }, 'labels'],
  [{ labels: 'a=b' }, 'labels'],
  [{ merge_labels: 'perhaps' }, 'merge_labels'],
  [{ node_labels: 'a=b' }, 'node_labels'],
  [{ node_taints: 'x' }, 'node_taints'],
  [{ node_taints: [{ key: 'k', effect: 'NoSchedule', extra: 'x' }] }, 'node_taints'],
  [{ project_id: 'x' }, 'project_id'],
  [{ links: [] }, 'links'],
  [{ node_addresses: [] }, 'node_addresses'],
  [{ stack_id: 'x' }, 'stack_id'],
  [{ colour: 'red' }, 'colour'],
]

const REFUSED_409: object[] = [
  { name: 'default-worker' },
  { name: 'pool' },
  { node_count: 1, min_node_count: 2 },
  { node_count: 3, max_node_count: 2 },
  { node_count: 3, min_node_count: 3, max_node_count: 2 },
  { node_taints: [{ key: 'k', effect: 'Never' }] },
  { node_taints: [{ effect: 'NoSchedule' }] },
  { node_taints: [{ key: 'k' }] },
  { node_labels: { 'kubernetes.io/x': 'y' } },
  { node_labels: { 'x.k8s.io/y': 'z' } },
]

const REFUSED: Row[] = [
  ...REFUSED_400.map(
    ([body, says]): Row => ({
      section: '6',
      name: `create with ${words(body)} is 400`,
      request: create({ name: 'n', ...body }, '{done}'),
      expect: { status: 400, says },
    }),
  ),
  ...REFUSED_409.map(
    (body): Row => ({
      section: '6',
      name: `create with ${words(body)} is 409`,
      request: create({ name: 'n', ...body }, '{done}'),
      expect: 409,
    }),
  ),
]

const inState =
  (change: Parameters<typeof settleCluster>[2]): Given =>
  async (lab, names) => {
    const { c } = await fresh(lab, names)
    await settleCluster(lab, c!, change)
    return { c: c! }
  }

const MORE: Row[] = [
  {
    section: '6',
    name: 'create needs an API address',
    given: async (lab, names) => {
      const { c } = await fresh(lab, names)
      await changeCluster(lab, c!, { endpoint: null })
      return { c: c! }
    },
    request: create({ name: 'n' }),
    expect: 409,
  },
  { section: '6', name: 'create in no cluster is 404', request: create({ name: 'n' }, 'none'), expect: 404 },
  {
    section: '6',
    name: 'create by a reader is 403',
    request: create({ name: 'n' }, '{done}', { as: BLUE_READER }),
    expect: 403,
  },
  {
    section: '6',
    name: 'create sets the cluster to UPDATE_IN_PROGRESS at once',
    given: fresh,
    request: create({ name: 'n', node_count: 2 }),
    expect: 202,
    after: {
      request: 'GET /v1/clusters/{c}',
      expect: { status: 200, body: { status: 'UPDATE_IN_PROGRESS', node_count: 6 } },
    },
  },
  {
    section: '6',
    name: 'create while the cluster is UPDATE_IN_PROGRESS waits its turn',
    better: true,
    given: inState({ status: 'UPDATE_IN_PROGRESS' }),
    request: create({ name: 'n' }),
    expect: 202,
  },
]

const FULL = [
  'id',
  'uuid',
  'name',
  'cluster_id',
  'project_id',
  'docker_volume_size',
  'labels',
  'links',
  'flavor_id',
  'image_id',
  'node_addresses',
  'node_count',
  'role',
  'min_node_count',
  'max_node_count',
  'is_default',
  'stack_id',
  'status',
  'status_reason',
  'version',
  'merge_labels',
  'labels_overridden',
  'labels_added',
  'labels_skipped',
  'node_labels',
  'node_taints',
  'created_at',
  'updated_at',
]
const ITEM = [
  'uuid',
  'name',
  'flavor_id',
  'image_id',
  'node_count',
  'role',
  'min_node_count',
  'max_node_count',
  'is_default',
  'stack_id',
  'status',
  'merge_labels',
]

const get = (path: string, version = '1.9'): Call => ({
  line: `GET /v1/clusters/{done}/nodegroups${path}`,
  version,
})

const listOf = (role: string, names: string[]): [Call, Expectation] => [
  get(`?role=${role}`),
  { status: 200, body: { nodegroups: names.map((name) => ({ name, role })) } },
]

const READS: [what: string, request: Call, expected: number | Expectation, better?: true][] = [
  ['the list has every group', get(''), { status: 200, body: { nodegroups: [{}, {}, {}] } }],
  ...['1.9', '1.12', '1.13', '1.14'].flatMap((version): [string, Call, Expectation][] => [
    [`exact keys of an item at ${version}`, get('', version), { status: 200, of: 'nodegroups.0', keys: ITEM }],
    [`exact keys of one shown at ${version}`, get('/pool', version), { status: 200, keys: FULL }],
  ]),
  ['the list of workers', ...listOf('worker', ['default-worker', 'pool'])],
  ['the list of masters', ...listOf('master', ['default-master'])],
  ['the list of a role that none has', get('?role=none'), { status: 200, body: { nodegroups: [] } }],
  [
    'the list has the true limits',
    get('?role=worker'),
    { status: 200, of: 'nodegroups.1', body: { name: 'pool', min_node_count: 2, max_node_count: 5 } },
    true,
  ],
  [
    'one shown: values',
    get('/pool'),
    {
      status: 200,
      body: { cluster_id: '{done}', project_id: 'blue', node_count: 3, min_node_count: 2, max_node_count: 5 },
    },
  ],
  [
    'label differences are those to the cluster',
    get('/default-worker'),
    {
      status: 200,
      body: { labels: { a: '1' }, labels_overridden: {}, labels_added: {}, labels_skipped: {}, merge_labels: false },
    },
  ],
]

const ROWS_OF_READS: Row[] = READS.map(([what, request, expected, better]) => ({
  section: '6',
  name: what,
  ...(better === undefined ? {} : { better }),
  request,
  expect: expected,
}))

const CREATED: Row[] = [
  {
    section: '13.2',
    name: 'create answers the full object',
    better: true,
    given: fresh,
    request: create({ name: 'n' }),
    expect: { status: 202, keys: FULL },
  },
  {
    section: '6',
    name: 'addresses, labels and taints are [], {} and [] from the first answer on',
    better: true,
    given: fresh,
    request: create({ name: 'n' }),
    expect: { status: 202, body: { node_addresses: [], node_labels: {}, node_taints: [] } },
  },
  {
    section: '6',
    name: 'id is an integer, rising',
    given: fresh,
    request: create({ name: 'n' }),
    expect: { status: 202, body: { id: 4 } },
  },
]

contractTables(
  {
    create: CREATES,
    'create that is refused': REFUSED,
    'what a create needs and does': MORE,
    read: ROWS_OF_READS,
    answers: CREATED,
  },
  async (lab) => {
    const done = await givenReachable(lab, {
      driver: undefined,
      cluster_template_id: (await givenTemplate(lab)).id,
      flavor_id: 'small',
      labels: { a: '1' },
    })
    await givenGroup(lab, done, { node_count: 3, min_node_count: 2, max_node_count: 5 })
    await settleCluster(lab, done, { status: 'UPDATE_COMPLETE' })
    return { done }
  },
)
