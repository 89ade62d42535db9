import { expect } from 'vitest'
import { givenTemplate } from '../../support/api/entities.ts'
import { copyCluster, givenReachable } from '../../support/api/node-groups.ts'
import { contractTables, type Expectation, type Given, type Row } from './row.ts'

/** Section 1.4: each version just below and at its boundary; `default` is no header. */

const complete: Given = async (lab, { done }) => ({ c: await copyCluster(lab, done!) })

type At = [version: string, expected: number | Expectation]
type Gate = { name: string; given?: Given; line: string; body?: unknown; better?: true; at: At[] }

const versionOf = (version: string) => (version === 'default' ? {} : { version })

const rowsOf = ({ name, given, line, body, better, at }: Gate): Row[] =>
  at.map(([version, expected]) => ({
    section: '1.4',
    name: `${name} at ${version}`,
    ...(better === undefined ? {} : { better }),
    ...(given === undefined ? {} : { given }),
    request: { line, ...versionOf(version), ...(body === undefined ? {} : { body }) },
    expect: expected,
  }))

const GENERAL_406 = { status: 406, code: '' }
const ASYNC = { status: 202, keys: ['uuid'] }
const create = (body: object) => ({
  line: 'POST /v1/clusters',
  body: { cluster_template_id: '{template}', ...body },
})
const count = (value: number) => [{ op: 'replace', path: '/node_count', value }]
const action = (name: string, body: object) => ({
  given: complete,
  line: `POST /v1/clusters/{c}/actions/${name}`,
  body,
})

const CREATE: Gate[] = [
  {
    name: 'create is asynchronous',
    ...create({}),
    at: [
      ['1.1', ASYNC],
      ['1.2', ASYNC],
    ],
  },
  {
    name: 'create with no nodes',
    ...create({ node_count: 0 }),
    at: [
      ['default', 400],
      ['1.1', 400],
      ['1.9', { status: 400, says: '1.10' }],
      ['1.10', 202],
    ],
  },
  {
    name: 'create from an unknown template',
    ...create({ cluster_template_id: 'unknown' }),
    at: [
      ['default', 400],
      ['1.9', 400],
      ['1.10', 404],
      ['latest', 404],
    ],
  },
]

const CHANGE: Gate[] = [
  {
    name: 'rollback of a PATCH',
    given: complete,
    line: 'PATCH /v1/clusters/{c}?rollback=True',
    body: count(2),
    at: [
      ['default', 400],
      ['1.2', 400],
      ['1.3', ASYNC],
    ],
  },
  {
    name: 'PATCH to no nodes',
    given: complete,
    line: 'PATCH /v1/clusters/{c}',
    body: count(0),
    at: [
      ['1.9', 400],
      ['1.10', 202],
    ],
  },
  {
    name: 'resize',
    ...action('resize', { node_count: 2 }),
    at: [
      ['default', GENERAL_406],
      ['1.6', GENERAL_406],
      ['1.7', ASYNC],
    ],
  },
  {
    name: 'resize to no nodes',
    ...action('resize', { node_count: 0 }),
    at: [
      ['1.9', 400],
      ['1.10', 202],
    ],
  },
  {
    name: 'upgrade',
    ...action('upgrade', { cluster_template: '{template}', max_batch_size: 1 }),
    at: [
      ['1.6', GENERAL_406],
      ['1.7', 400],
      ['1.8', ASYNC],
    ],
  },
]

const NOT_ENFORCED: Gate[] = [
  {
    name: 'stats',
    line: 'GET /v1/stats',
    at: [
      ['1.1', 200],
      ['1.4', 200],
    ],
  },
  {
    name: 'quotas',
    line: 'GET /v1/quotas',
    at: [
      ['1.1', 200],
      ['1.6', 200],
    ],
  },
  {
    name: 'authority rotation',
    given: async (lab) => ({ c: await givenReachable(lab) }),
    line: 'PATCH /v1/certificates/{c}',
    at: [
      ['1.1', ASYNC],
      ['1.5', ASYNC],
    ],
  },
  {
    name: 'federations',
    line: 'GET /v1/federations',
    at: [
      ['default', 200],
      ['1.1', 200],
    ],
  },
]

const NODE_GROUPS: Gate[] = [
  {
    name: 'node groups: list',
    line: 'GET /v1/clusters/{done}/nodegroups',
    at: [
      ['default', GENERAL_406],
      ['1.8', GENERAL_406],
      ['1.9', 200],
    ],
  },
  {
    name: 'node groups: show',
    line: 'GET /v1/clusters/{done}/nodegroups/default-worker',
    at: [
      ['1.8', GENERAL_406],
      ['1.9', 200],
    ],
  },
  {
    name: 'node groups: PATCH',
    given: complete,
    line: 'PATCH /v1/clusters/{c}/nodegroups/default-worker',
    body: [],
    at: [
      ['1.8', GENERAL_406],
      ['1.9', 202],
    ],
  },
  {
    name: 'node groups: DELETE',
    given: complete,
    line: 'DELETE /v1/clusters/{c}/nodegroups/default-worker',
    at: [
      ['1.8', GENERAL_406],
      ['1.9', 400],
    ],
  },
  {
    name: 'node groups: create with no nodes',
    given: complete,
    line: 'POST /v1/clusters/{c}/nodegroups',
    body: { name: 'n', node_count: 0 },
    at: [
      ['1.8', GENERAL_406],
      ['1.9', 202],
    ],
  },
  {
    name: 'node labels and taints',
    given: complete,
    line: 'POST /v1/clusters/{c}/nodegroups',
    body: { name: 'n', node_labels: { a: 'b' }, node_taints: [{ key: 'k', effect: 'NoSchedule' }] },
    at: ['1.9', '1.13', '1.14'].map(
      (version): At => [
        version,
        { status: 202, body: { node_labels: { a: 'b' }, node_taints: [{ key: 'k', effect: 'NoSchedule' }] } },
      ],
    ),
  },
]

const LATER: Gate[] = [
  ...['bays', 'baymodels', 'bays/detail', 'baymodels/x'].map(
    (path): Gate => ({
      name: `/v1/${path} is gone`,
      line: `GET /v1/${path}`,
      at: [
        ['1.1', { status: 404, code: '' }],
        ['1.11', { status: 404, code: '' }],
      ],
    }),
  ),
  {
    name: 'credential rotation',
    given: complete,
    line: 'PATCH /v1/credentials/{c}',
    at: [
      ['default', GENERAL_406],
      ['1.11', GENERAL_406],
      ['1.12', ASYNC],
    ],
  },
]

const ID = { '1.12': 'stack_id', '1.13': 'cluster_id' }
const STACK: Row[] = [
  ['GET /v1/clusters', 'clusters.0'],
  ['GET /v1/clusters/detail', 'clusters.0'],
  ['GET /v1/clusters/{done}', ''],
].flatMap(([line, of]) =>
  Object.entries(ID).map(
    ([version, key]): Row => ({
      section: '1.4',
      name: `${line} has ${key}, with the same value, at ${version}`,
      request: { line: line!, version },
      expect: { status: 200, of: of!, body: { [key]: expect.any(String) } },
    }),
  ),
)

contractTables(
  {
    create: CREATE.flatMap(rowsOf),
    change: CHANGE.flatMap(rowsOf),
    'not enforced': NOT_ENFORCED.flatMap(rowsOf),
    'node groups': NODE_GROUPS.flatMap(rowsOf),
    later: LATER.flatMap(rowsOf),
    'stack_id and cluster_id': STACK,
  },
  async (lab) => ({ done: await givenReachable(lab), template: (await givenTemplate(lab)).id }),
)
