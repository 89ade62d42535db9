import type { Status } from '../../../functions/core/values/status.ts'
import { givenTemplate, settleCluster } from '../../support/api/entities.ts'
import { copyCluster, givenGroup, givenReachable, readGroup } from '../../support/api/node-groups.ts'
import { BLUE_READER } from './principals.ts'
import { type Call, contractTables, type Expectation, type Given, type Row } from './row.ts'

/** Sections 4.3 to 4.6: PATCH, DELETE, resize, upgrade. `{done}` has one worker and the node group `pool` with 3 of 2 to 5 nodes. */

const fresh: Given = async (lab, { done }) => ({ c: await copyCluster(lab, done!) })
const inStatus =
  (status: Status): Given =>
  async (lab, { done }) => {
    const c = await copyCluster(lab, done!)
    await settleCluster(lab, c, { status })
    return { c }
  }

const patch = (body: unknown, query = ''): Call => ({
  line: `PATCH /v1/clusters/{c}${query}`,
  version: 'latest',
  body,
})
const op = (name: string, path: string, value?: unknown) => ({ op: name, path, value })
const replace = (path: string, value: unknown) => [op('replace', path, value)]

type Change = [what: string, request: Call, expected: number | Expectation, shown?: object]

const rows =
  (section: string, given: Given, better?: true) =>
  ([what, request, expected, shown]: Change): Row => ({
    section,
    name: what,
    given,
    ...(better === undefined ? {} : { better }),
    request,
    expect: expected,
    ...(shown === undefined
      ? {}
      : { after: { request: 'GET /v1/clusters/{c}', expect: { status: 200, body: shown } } }),
  })

const ACCEPTED = { status: 202, keys: ['uuid'], body: { uuid: '{c}' } }

const PATCHES: Change[] = [
  ['replace /node_count sets the default worker', patch(replace('/node_count', 4)), ACCEPTED, { node_count: 7 }],
  ['remove /node_count makes it 1', patch([op('remove', '/node_count')]), ACCEPTED, { node_count: 4 }],
  ['an empty patch is a no-op', patch([]), ACCEPTED, { status: 'UPDATE_COMPLETE', node_count: 5 }],
  ['rollback=true', patch(replace('/node_count', 2), '?rollback=true'), ACCEPTED],
  ['rollback=False', patch(replace('/node_count', 2), '?rollback=False'), ACCEPTED],
  ...['HEALTHY', 'UNHEALTHY', 'UNKNOWN'].map(
    (health): Change => [
      `health_status ${health}`,
      patch(replace('/health_status', health)),
      ACCEPTED,
      { health_status: health, node_count: 5 },
    ],
  ),
  [
    'health_status_reason as a Python literal',
    patch(replace('/health_status_reason', "{'api': 'ok', 'n1.Ready': 'True'}")),
    ACCEPTED,
    { health_status_reason: { api: 'ok', 'n1.Ready': 'True' } },
  ],
  [
    'health_status_reason as JSON text',
    patch(replace('/health_status_reason', '{"api": "ok"}')),
    ACCEPTED,
    { health_status_reason: { api: 'ok' } },
  ],
  [
    'health_status and health_status_reason together',
    patch([op('replace', '/health_status', 'UNHEALTHY'), op('replace', '/health_status_reason', "{'api': 'x'}")]),
    ACCEPTED,
    { health_status: 'UNHEALTHY', health_status_reason: { api: 'x' } },
  ],
]

const BETTER_PATCHES: Change[] = [
  [
    'health_status_reason as an object',
    patch(replace('/health_status_reason', { api: 'ok' })),
    ACCEPTED,
    { health_status_reason: { api: 'ok' } },
  ],
  ['a plain object', patch({ node_count: 4 }), ACCEPTED, { node_count: 7 }],
  ['a count as text', patch(replace('/node_count', '4')), ACCEPTED, { node_count: 7 }],
]

const REFUSED_VALUES: [path: string, value: unknown][] = [
  ['/node_count', -1],
  ['/node_count', 1.5],
  ['/node_count', 'x'],
  ['/node_count', null],
  ['/node_count', []],
  ['/node_count', true],
  ['/health_status', 'GOOD'],
  ['/health_status', 5],
  ['/health_status', null],
  ['/health_status_reason', 'not a dictionary'],
  ['/health_status_reason', 5],
  ['/health_status_reason', '[1, 2]'],
]

const UNCHANGEABLE: [path: string, value: unknown][] = [
  ['/name', 'x'],
  ['/labels', "{'a': 'b'}"],
  ['/labels/a', 'b'],
  ['/master_count', 3],
  ['/keypair', 'x'],
  ['/flavor_id', 'x'],
  ['/master_flavor_id', 'x'],
  ['/cluster_template_id', '{template}'],
  ['/create_timeout', 5],
  ['/docker_volume_size', 9],
  ['/discovery_url', 'x'],
  ['/fixed_network', 'x'],
  ['/fixed_subnet', 'x'],
  ['/floating_ip_enabled', false],
  ['/master_lb_enabled', true],
  ['/status', 'CREATE_COMPLETE'],
  ['/colour', 'red'],
]

const INTERNAL = [
  'uuid',
  'id',
  'links',
  'created_at',
  'updated_at',
  'project_id',
  'user_id',
  'api_address',
  'node_addresses',
  'master_addresses',
  'stack_id',
  'cluster_id',
  'ca_cert_ref',
  'magnum_cert_ref',
  'etcd_ca_cert_ref',
  'front_proxy_ca_cert_ref',
]

const refused = (section: string, name: string, body: unknown, says = ''): Row => ({
  section,
  name,
  request: { line: 'PATCH /v1/clusters/{done}', version: 'latest', body },
  expect: { status: 400, says },
})

const REFUSED: Row[] = [
  ...REFUSED_VALUES.map(([path, value]) =>
    refused('4.3', `${path} may not be ${JSON.stringify(value)}`, replace(path, value)),
  ),
  ...UNCHANGEABLE.map(([path, value]) =>
    refused('4.3', `${path} may not be changed, and is named`, replace(path, value), path.split('/')[1]),
  ),
  ...INTERNAL.flatMap((name) =>
    ['add', 'replace', 'remove'].map((operation) =>
      refused('4.3', `/${name} is internal: ${operation}`, [
        op(operation, `/${name}`, operation === 'remove' ? undefined : 'x'),
      ]),
    ),
  ),
  refused('4.3', 'add /labels/{key} is 400', [op('add', '/labels/new', 'x')], 'labels'),
  refused('4.3', 'one good operation and a bad one are 400', [
    op('replace', '/node_count', 2),
    op('replace', '/name', 'x'),
  ]),
]

/** Section 4.3: the state check whose refusal Magnum loses. */
const STATES: Row[] = (
  [
    ['CREATE_COMPLETE', 202],
    ['UPDATE_COMPLETE', 202],
    ['CREATE_IN_PROGRESS', 409],
    ['CREATE_FAILED', 409],
    ['UPDATE_FAILED', 409],
    ['DELETE_IN_PROGRESS', 409],
    ['DELETE_FAILED', 409],
  ] as const
).map(([status, expected]) => ({
  section: '4.3',
  name: `PATCH of a cluster that is ${status} is ${expected}`,
  ...(expected === 409 ? { better: true as const } : {}),
  given: inStatus(status),
  request: patch(replace('/node_count', 2)),
  expect: expected,
}))

const remove = 'DELETE /v1/clusters/{c}'
const GONE = { status: 'DELETE_IN_PROGRESS' }
const DELETES: Row[] = [
  ...(
    [
      'CREATE_IN_PROGRESS',
      'CREATE_COMPLETE',
      'CREATE_FAILED',
      'UPDATE_IN_PROGRESS',
      'UPDATE_COMPLETE',
      'UPDATE_FAILED',
      'DELETE_IN_PROGRESS',
      'DELETE_FAILED',
    ] as const
  ).map(
    (status): Row => ({
      section: '4.4',
      name: `DELETE of a cluster that is ${status} shows DELETE_IN_PROGRESS at once`,
      given: inStatus(status),
      request: remove,
      expect: { status: 204, body: null },
      after: { request: 'GET /v1/clusters/{c}', expect: { status: 200, body: GONE } },
    }),
  ),
  { section: '4.4', name: 'an absent cluster is 404', request: 'DELETE /v1/clusters/none', expect: 404 },
]

const resize = (body: unknown, version = '1.10'): Call => ({
  line: 'POST /v1/clusters/{c}/actions/resize',
  version,
  body,
})
const UPDATING = { status: 'UPDATE_IN_PROGRESS' }

const RESIZES: Change[] = [
  ['of the default worker', resize({ node_count: 4 }), ACCEPTED, { ...UPDATING, node_count: 7 }],
  ['to no nodes at 1.10', resize({ node_count: 0 }), ACCEPTED, { ...UPDATING, node_count: 3 }],
  ['of a group by name', resize({ node_count: 5, nodegroup: 'pool' }), ACCEPTED, { ...UPDATING, node_count: 7 }],
  ['nodes_to_remove null', resize({ node_count: 2, nodes_to_remove: null }), ACCEPTED],
  ['nodes_to_remove', resize({ node_count: 2, nodes_to_remove: ['a', 'b'] }), ACCEPTED],
  ['nodegroup null', resize({ node_count: 4, nodegroup: null }), ACCEPTED, { node_count: 7 }],
]

const refusedAction =
  (section: string, action: string, version: string) =>
  ([what, body, status, says]: [what: string, body: unknown, status: number, says?: string]): Row => ({
    section,
    name: `${action} with ${what} is ${status}`,
    request: {
      line: `POST /v1/clusters/{done}/actions/${action}`,
      version,
      ...(body === undefined ? {} : { body }),
    },
    expect: { status, ...(says === undefined ? {} : { says }) },
  })

const REFUSED_RESIZES = (
  [
    ['no count', {}, 400, 'node_count'],
    ['a null count', { node_count: null }, 400, 'node_count'],
    ['a count below 0', { node_count: -1 }, 400, 'node_count'],
    ['a count that is no integer', { node_count: 1.5 }, 400, 'node_count'],
    ['less than the group’s least', { node_count: 1, nodegroup: 'pool' }, 400, 'min_node_count'],
    ['more than the group’s most', { node_count: 6, nodegroup: 'pool' }, 400, 'max_node_count'],
    ['masters that the driver does not resize', { node_count: 3, nodegroup: 'default-master' }, 400],
    ['an unknown group', { node_count: 2, nodegroup: 'none' }, 404],
    ['an unknown field', { node_count: 2, colour: 'red' }, 400, 'colour'],
    ['nodes_to_remove as text', { node_count: 2, nodes_to_remove: 'a' }, 400, 'nodes_to_remove'],
    ['nodes_to_remove of numbers', { node_count: 2, nodes_to_remove: [1] }, 400, 'nodes_to_remove'],
  ] as [string, unknown, number, string?][]
).map(refusedAction('4.5', 'resize', '1.10'))

const stateRows = (section: string, request: Call, states: Partial<Record<Status, number>>): Row[] =>
  Object.entries(states).map(([status, expected]) => ({
    section,
    name: `${request.line.split('/').at(-1)} of a cluster that is ${status} is ${expected}`,
    ...(expected === 409 ? { better: true as const } : {}),
    given: inStatus(status as Status),
    request,
    expect: expected,
  }))

const RESIZE_STATES = stateRows('4.5', resize({ node_count: 2 }), {
  CREATE_COMPLETE: 202,
  UPDATE_COMPLETE: 202,
  UPDATE_FAILED: 202,
  UPDATE_IN_PROGRESS: 202,
  CREATE_IN_PROGRESS: 409,
  CREATE_FAILED: 409,
  DELETE_IN_PROGRESS: 409,
  DELETE_FAILED: 409,
})

const BY_UUID: Row = {
  section: '4.5',
  name: 'of a group by UUID',
  given: async (lab, names) => {
    const { c } = await fresh(lab, names)
    return { c: c!, own: (await readGroup(lab, c!, 'pool')).id }
  },
  request: resize({ node_count: 5, nodegroup: '{own}' }),
  expect: 202,
  after: { request: 'GET /v1/clusters/{c}', expect: { status: 200, body: { node_count: 7 } } },
}

const RESIZED_GROUP: Row = {
  section: '4.5',
  name: 'the node group shows UPDATE_IN_PROGRESS at once, too',
  given: fresh,
  request: resize({ node_count: 4, nodegroup: 'pool' }),
  expect: 202,
  after: {
    request: { line: 'GET /v1/clusters/{c}/nodegroups/pool', version: '1.9' },
    expect: { status: 200, body: { status: 'UPDATE_IN_PROGRESS', node_count: 4 } },
  },
}

const upgrade = (body: unknown): Call => ({
  line: 'POST /v1/clusters/{c}/actions/upgrade',
  version: '1.8',
  body,
})
const BATCH = { max_batch_size: 1 }

const UPGRADES: Change[] = [
  ['by the template’s UUID', upgrade({ ...BATCH, cluster_template: '{next}' }), ACCEPTED, UPDATING],
  ['by the template’s name', upgrade({ ...BATCH, cluster_template: 'next' }), ACCEPTED, UPDATING],
  ['without max_batch_size', upgrade({ cluster_template: 'next' }), ACCEPTED],
  ['with max_batch_size null', upgrade({ max_batch_size: null, cluster_template: 'next' }), ACCEPTED],
  ['with nodegroup null', upgrade({ ...BATCH, cluster_template: 'next', nodegroup: null }), ACCEPTED],
  [
    'of another node group, to the template that it has',
    upgrade({ ...BATCH, cluster_template: '{template}', nodegroup: 'pool' }),
    ACCEPTED,
    UPDATING,
  ],
  ['of another node group to a new template', upgrade({ ...BATCH, cluster_template: 'next', nodegroup: 'pool' }), 409],
]

const REFUSED_UPGRADES = (
  [
    ['an unknown template', { ...BATCH, cluster_template: 'none' }, 404],
    ['an unknown group', { ...BATCH, cluster_template: 'next', nodegroup: 'none' }, 404],
    ['a batch size of 0', { max_batch_size: 0, cluster_template: 'next' }, 400, 'max_batch_size'],
    ['a batch size that is no integer', { max_batch_size: 'x', cluster_template: 'next' }, 400, 'max_batch_size'],
    ['an unknown field', { ...BATCH, cluster_template: 'next', colour: 'red' }, 400, 'colour'],
  ] as [string, unknown, number, string?][]
).map(refusedAction('4.6', 'upgrade', '1.8'))

const UPGRADE_STATES = stateRows('4.6', upgrade({ ...BATCH, cluster_template: 'next' }), {
  CREATE_COMPLETE: 202,
  UPDATE_COMPLETE: 202,
  UPDATE_FAILED: 400,
  UPDATE_IN_PROGRESS: 400,
  CREATE_IN_PROGRESS: 400,
  CREATE_FAILED: 400,
  DELETE_IN_PROGRESS: 400,
  DELETE_FAILED: 400,
})

const READERS: Row[] = [
  ['4.3', { line: 'PATCH /v1/clusters/{done}', body: [] }],
  ['4.4', { line: 'DELETE /v1/clusters/{done}' }],
  ['4.5', { line: 'POST /v1/clusters/{done}/actions/resize', body: { node_count: 2 } }],
  ['4.6', { line: 'POST /v1/clusters/{done}/actions/upgrade', body: { ...BATCH, cluster_template: 'next' } }],
].map(([section, call]) => ({
  section: section as string,
  name: `a reader’s ${(call as Call).line.split(' ')[0]} is 403`,
  request: { ...(call as Call), version: 'latest', as: BLUE_READER },
  expect: 403,
}))

contractTables(
  {
    PATCH: [...PATCHES.map(rows('4.3', fresh)), ...BETTER_PATCHES.map(rows('4.3', fresh, true))],
    'PATCH that is refused': REFUSED,
    'PATCH by status': STATES,
    DELETE: DELETES,
    resize: [...RESIZES.map(rows('4.5', fresh)), BY_UUID, RESIZED_GROUP],
    'resize that is refused': [...REFUSED_RESIZES, ...RESIZE_STATES],
    upgrade: UPGRADES.map(rows('4.6', fresh)),
    'upgrade that is refused': [...REFUSED_UPGRADES, ...UPGRADE_STATES],
    readers: READERS,
  },
  async (lab) => {
    const template = (await givenTemplate(lab, { name: 'current' })).id
    await givenTemplate(lab, { name: 'next' })
    const next = (await lab.call('GET', '/v1/clustertemplates/next')).body.uuid
    const done = await givenReachable(lab, { driver: undefined, cluster_template_id: template, node_count: 2 })
    await givenGroup(lab, done, { node_count: 3, min_node_count: 2, max_node_count: 5 })
    await settleCluster(lab, done, { status: 'UPDATE_COMPLETE' })
    return { done, template, next }
  },
)
