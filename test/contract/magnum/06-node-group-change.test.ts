import type { Status } from '../../../functions/core/values/status.ts'
import { settleCluster } from '../../support/api/entities.ts'
import { changeGroup, copyCluster, givenGroup, givenReachable } from '../../support/api/node-groups.ts'
import { BLUE_READER } from './principals.ts'
import { type Call, contractTables, type Expectation, type Given, type Row } from './row.ts'

/** Section 6: PATCH and DELETE. `pool` has 3 of 2 to 5 nodes, the node label `old: 1` and no taints. */

const fresh: Given = async (lab, { done }) => ({ c: await copyCluster(lab, done!) })
const inStatus =
  (status: Status): Given =>
  async (lab, names) => {
    const { c } = await fresh(lab, names)
    await settleCluster(lab, c!, { status })
    return { c: c! }
  }

const patch = (body: unknown, { cluster = '{c}', group = 'pool' } = {}): Call => ({
  line: `PATCH /v1/clusters/${cluster}/nodegroups/${group}`,
  version: '1.9',
  body,
})
const op = (name: string, path: string, value?: unknown) => ({ op: name, path, value })
const replace = (path: string, value: unknown) => [op('replace', path, value)]

type Change = [what: string, body: unknown, expected: Expectation['body']]

const TAINT = { key: 'k', value: 'v', effect: 'NoSchedule' }

const CHANGES: Change[] = [
  ['min_node_count', replace('/min_node_count', 3), { min_node_count: 3, node_count: 3 }],
  ['max_node_count', replace('/max_node_count', 9), { max_node_count: 9 }],
  ['max_node_count 0', replace('/max_node_count', 0), { max_node_count: 0 }],
  ['max_node_count, removed', [op('remove', '/max_node_count')], { max_node_count: null }],
  ['min_node_count, removed', [op('remove', '/min_node_count')], { min_node_count: 0 }],
  ['node_labels as a Python literal', replace('/node_labels', "{'a': 'x'}"), { node_labels: { a: 'x' } }],
  ['node_labels as JSON text', replace('/node_labels', '{"a": "x"}'), { node_labels: { a: 'x' } }],
  ['node_labels, one added', [op('add', '/node_labels/a', 'x')], { node_labels: { old: '1', a: 'x' } }],
  [
    'node_taints as a Python literal',
    replace('/node_taints', "[{'key': 'k', 'value': 'v', 'effect': 'NoSchedule'}]"),
    { node_taints: [TAINT] },
  ],
  ['node_taints as JSON text', replace('/node_taints', JSON.stringify([TAINT])), { node_taints: [TAINT] }],
  ['nothing', [], { status: 'UPDATE_COMPLETE' }],
]

const BETTER: Change[] = [
  ['min_node_count as text', replace('/min_node_count', '1'), { min_node_count: 1 }],
  ['max_node_count as text', replace('/max_node_count', '9'), { max_node_count: 9 }],
  ['node_labels as an object', replace('/node_labels', { a: 'x' }), { node_labels: { a: 'x' } }],
  ['node_taints as a list', replace('/node_taints', [TAINT]), { node_taints: [TAINT] }],
  ['a label with a slash', [op('add', '/node_labels/b.io~1a', 'x')], { node_labels: { old: '1', 'b.io/a': 'x' } }],
  ['a plain object', { min_node_count: 1, max_node_count: 8 }, { min_node_count: 1, max_node_count: 8 }],
  [
    'both limits above the count, min first (11.12)',
    [...replace('/min_node_count', 7), ...replace('/max_node_count', 9)],
    { min_node_count: 7, max_node_count: 9, node_count: 7 },
  ],
  [
    'both limits below the count, max first (11.12)',
    [...replace('/max_node_count', 1), ...replace('/min_node_count', 1)],
    { min_node_count: 1, max_node_count: 1, node_count: 1 },
  ],
]

const changeRows = (changes: Change[], better?: true): Row[] =>
  changes.map(([what, body, shown]) => ({
    section: '6',
    name: `PATCH of ${what} is 202`,
    ...(better === undefined ? {} : { better }),
    given: fresh,
    request: patch(body),
    expect: { status: 202, body: shown },
  }))

const SHOWN: Row[] = [
  {
    section: '6',
    name: 'PATCH answers the full object, UPDATE_IN_PROGRESS',
    given: fresh,
    request: patch(replace('/max_node_count', 9)),
    expect: { status: 202, body: { cluster_id: '{c}', status: 'UPDATE_IN_PROGRESS', links: [{}, {}], name: 'pool' } },
    after: {
      request: 'GET /v1/clusters/{c}',
      expect: { status: 200, body: { status: 'UPDATE_IN_PROGRESS' } },
    },
  },
  {
    section: '6',
    name: 'DELETE shows DELETE_IN_PROGRESS at once',
    given: fresh,
    request: { line: 'DELETE /v1/clusters/{c}/nodegroups/pool', version: '1.9' },
    expect: { status: 204, body: null },
    after: {
      request: { line: 'GET /v1/clusters/{c}/nodegroups/pool', version: '1.9' },
      expect: { status: 200, body: { status: 'DELETE_IN_PROGRESS' } },
    },
  },
  {
    section: '6',
    name: 'DELETE sets the cluster to UPDATE_IN_PROGRESS',
    given: fresh,
    request: { line: 'DELETE /v1/clusters/{c}/nodegroups/pool', version: '1.9' },
    expect: 204,
    after: { request: 'GET /v1/clusters/{c}', expect: { status: 200, body: { status: 'UPDATE_IN_PROGRESS' } } },
  },
]

type Refusal = [what: string, body: unknown, status: number]

const UNCHANGEABLE = [
  'name',
  'node_count',
  'role',
  'flavor_id',
  'image_id',
  'labels',
  'docker_volume_size',
  'uuid',
  'id',
  'cluster_id',
  'project_id',
  'links',
  'is_default',
  'stack_id',
  'status',
  'node_addresses',
  'created_at',
  'updated_at',
  'colour',
]

const REFUSALS: Refusal[] = [
  ...UNCHANGEABLE.map((name): Refusal => [`/${name}`, replace(`/${name}`, 'x'), 400]),
  ['min_node_count above the count', replace('/min_node_count', 4), 409],
  ['min_node_count as a word', replace('/min_node_count', 'three'), 400],
  ['min_node_count -1', replace('/min_node_count', -1), 400],
  ['max_node_count -1', replace('/max_node_count', -1), 400],
  ['max_node_count true', replace('/max_node_count', true), 400],
  ['min above max', [...replace('/min_node_count', 4), ...replace('/max_node_count', 2)], 409],
  ['node_labels that can not be read', replace('/node_labels', 'a=b'), 400],
  ['node_labels with a restricted prefix', replace('/node_labels', "{'kubernetes.io/a': 'x'}"), 409],
  ['node_taints that can not be read', replace('/node_taints', '[{'), 400],
  ['a taint’s unknown effect', replace('/node_taints', [{ key: 'k', effect: 'Never' }]), 409],
  ['a taint’s extra key (13.8)', replace('/node_taints', [{ ...TAINT, extra: 'x' }]), 400],
]

const refusalRows = (group: string, refusals: Refusal[]): Row[] =>
  refusals.map(([what, body, status]) => ({
    section: '6',
    name: `PATCH of ${what} on ${group} is ${status}`,
    request: patch(body, { cluster: '{done}', group }),
    expect: status,
  }))

const MASTERS: Refusal[] = [
  ['node_labels', replace('/node_labels', "{'a': 'x'}"), 409],
  ['node_taints', replace('/node_taints', [TAINT]), 409],
]

const stateRows = (request: Call, states: Partial<Record<Status, number>>): Row[] =>
  Object.entries(states).map(([status, expected]) => ({
    section: '6',
    name: `${request.line.split(' ')[0]} while the cluster is ${status} is ${expected}`,
    ...(expected === 409 ? { better: true as const } : {}),
    given: inStatus(status as Status),
    request,
    expect: expected,
  }))

const remove = (group: string, cluster = '{done}'): Call => ({
  line: `DELETE /v1/clusters/${cluster}/nodegroups/${group}`,
  version: '1.9',
})
const STATES = { CREATE_COMPLETE: 202, UPDATE_COMPLETE: 202, UPDATE_FAILED: 202, UPDATE_IN_PROGRESS: 202 }
const CLOSED = { CREATE_IN_PROGRESS: 409, CREATE_FAILED: 409, DELETE_IN_PROGRESS: 409, DELETE_FAILED: 409 }

const DELETES: Row[] = [
  ...['default-worker', 'default-master'].map(
    (group): Row => ({ section: '6', name: `DELETE of ${group} is 400`, request: remove(group), expect: 400 }),
  ),
  { section: '6', name: 'DELETE of none is 404', request: remove('none'), expect: 404 },
  ...(['PATCH', 'DELETE'] as const).map(
    (method): Row => ({
      section: '6',
      name: `${method} by a reader is 403`,
      request: {
        ...(method === 'PATCH' ? patch([], { cluster: '{done}' }) : remove('pool')),
        as: BLUE_READER,
      },
      expect: 403,
    }),
  ),
]

contractTables(
  {
    PATCH: [...changeRows(CHANGES), ...changeRows(BETTER, true)],
    'shown at once': SHOWN,
    'PATCH that is refused': [...refusalRows('pool', REFUSALS), ...refusalRows('default-master', MASTERS)],
    'PATCH by status': stateRows(patch(replace('/max_node_count', 9)), { ...STATES, ...CLOSED }),
    DELETE: DELETES,
  },
  async (lab) => {
    const done = await givenReachable(lab)
    await givenGroup(lab, done, { node_count: 3, min_node_count: 2, max_node_count: 5 })
    await settleCluster(lab, done, { status: 'UPDATE_COMPLETE' })
    await changeGroup(lab, done, 'pool', { nodeLabels: { old: '1' } })
    return { done }
  },
)
