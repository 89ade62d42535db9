import { nodesOf } from '../../../functions/core/cluster/node-group.ts'
import { changeCluster, givenTemplate, readGroups, settleCluster } from '../../support/api/entities.ts'
import { changeGroup, copyCluster, givenGroup, givenReachable } from '../../support/api/node-groups.ts'
import { itemKeys, wholeKeys } from './cluster-keys.ts'
import { contractTables, type Given, type Row } from './row.ts'

/** Sections 4.2 and 9.2: what is shown of a cluster. */

const VERSIONS = ['1.1', '1.12', '1.13', '1.14']

const KEYS: Row[] = VERSIONS.flatMap((version): Row[] => [
  {
    section: '4.2',
    name: `exact keys of an item at ${version}`,
    request: { line: 'GET /v1/clusters', version },
    expect: { status: 200, of: 'clusters.0', keys: itemKeys(version) },
  },
  {
    section: '4.2',
    name: `exact keys in detail at ${version}`,
    request: { line: 'GET /v1/clusters/detail', version },
    expect: { status: 200, of: 'clusters.0', keys: wholeKeys(version) },
  },
  {
    section: '4.2',
    name: `exact keys of one shown at ${version}`,
    request: { line: 'GET /v1/clusters/{done}', version },
    expect: { status: 200, keys: wholeKeys(version) },
  },
  {
    section: '4.2',
    name: `exact keys of a failed one at ${version}: with faults`,
    request: { line: 'GET /v1/clusters/{failed}', version },
    expect: { status: 200, keys: [...wholeKeys(version), 'faults'] },
  },
])

const SAME_ID: Row[] = VERSIONS.map((version) => ({
  section: '1.4',
  name: `stack_id or cluster_id is the same value at ${version}`,
  request: { line: 'GET /v1/clusters/{done}', version },
  expect: {
    status: 200,
    body: { [version === '1.1' || version === '1.12' ? 'stack_id' : 'cluster_id']: '{stack}' },
  },
}))

const VALUES: [attribute: string, value: unknown][] = [
  ['node_count', 5],
  ['master_count', 1],
  ['node_addresses', ['10.0.0.2', '10.0.0.3']],
  ['master_addresses', ['10.0.0.1']],
  ['merge_labels', false],
  ['labels', { a: '9', c: '3' }],
  ['labels_overridden', { a: '1' }],
  ['labels_added', { c: '3' }],
  ['labels_skipped', { b: '2' }],
  ['status_reason', null],
  ['api_address', 'https://api.example.com:6443'],
  ['project_id', 'blue'],
  ['user_id', 'alice'],
  ['discovery_url', null],
]

const SHOWN: Row[] = VALUES.map(([attribute, value]) => ({
  section: '4.2',
  name: `${attribute} of a cluster with three node groups`,
  request: 'GET /v1/clusters/{done}',
  expect: {
    status: 200,
    of: attribute,
    body: value,
    ...(typeof value === 'object' && value !== null ? { keys: Object.keys(value) } : {}),
  },
}))

const FAULTS: Row[] = [
  {
    section: '4.2',
    name: 'faults are the reasons by node group, as text',
    request: 'GET /v1/clusters/{failed}',
    expect: {
      status: 200,
      of: 'faults',
      keys: ['default-worker'],
      body: { 'default-worker': 'No room for nodes.' },
    },
  },
  {
    section: '4.2',
    name: 'a failed cluster has no faults in detail',
    request: 'GET /v1/clusters/detail?sort_key=status&sort_dir=desc&limit=1',
    expect: { status: 200, of: 'clusters.0', keys: wholeKeys('1.1'), body: { status: 'UPDATE_FAILED' } },
  },
]

/** A cluster in a status. */
const inStatus =
  (status: Parameters<typeof settleCluster>[2]['status']): Given =>
  async (lab, { done }) => {
    const c = await copyCluster(lab, done!)
    await settleCluster(lab, c, { status })
    return { c }
  }

const STATUSES: Row[] = (
  [
    ['CREATE_IN_PROGRESS', false],
    ['CREATE_COMPLETE', false],
    ['CREATE_FAILED', true],
    ['UPDATE_IN_PROGRESS', false],
    ['UPDATE_COMPLETE', false],
    ['UPDATE_FAILED', true],
    ['DELETE_IN_PROGRESS', false],
    ['DELETE_FAILED', true],
  ] as const
).map(([status, hasFaults]) => ({
  section: '9.2',
  name: `${status} is shown, ${hasFaults ? 'with' : 'without'} faults`,
  given: inStatus(status),
  request: 'GET /v1/clusters/{c}',
  expect: { status: 200, body: { status }, keys: [...wholeKeys('1.1'), ...(hasFaults ? ['faults'] : [])] },
}))

const HEALTH: Row[] = (['HEALTHY', 'UNHEALTHY', 'UNKNOWN', null] as const).map((health) => ({
  section: '9.2',
  name: `health_status ${health}`,
  given: async (lab, { done }) => {
    const c = await copyCluster(lab, done!)
    const observation = { healthReason: { api: 'ok', 'n1.Ready': 'True' }, version: null, nodeCount: 1, masterCount: 1 }
    if (health === null) return { c }
    await lab.stores.clusters.observe(
      { projectId: 'blue', id: c },
      { observedAt: '2026-11-27T10:00:00.000Z', healthStatus: health, ...observation },
    )
    return { c }
  },
  request: 'GET /v1/clusters/{c}',
  expect: {
    status: 200,
    body: { health_status: health, health_status_reason: health === null ? {} : { api: 'ok', 'n1.Ready': 'True' } },
  },
}))

contractTables(
  {
    keys: KEYS,
    'stack_id and cluster_id': SAME_ID,
    values: SHOWN,
    faults: FAULTS,
    statuses: STATUSES,
    health: HEALTH,
  },
  async (lab) => {
    const template = await givenTemplate(lab, { spec: { labels: { a: '1', b: '2' } } })
    const done = await givenReachable(lab, {
      cluster_template_id: template.id,
      driver: undefined,
      labels: { a: '9', c: '3' },
      node_count: 2,
    })
    await givenGroup(lab, done, { node_count: 3 })
    await settleCluster(lab, done, { status: 'UPDATE_COMPLETE' })
    const addresses: Record<string, string[]> = { 'default-master': ['10.0.0.1'], 'default-worker': ['10.0.0.2'] }
    for (const { name } of await readGroups(lab, done)) {
      await changeGroup(lab, done, name, { nodeAddresses: addresses[name] ?? ['10.0.0.3'] })
    }
    await changeCluster(lab, done, { nodes: nodesOf(await readGroups(lab, done)) })
    const failed = await copyCluster(lab, done)
    await settleCluster(lab, failed, { status: 'UPDATE_FAILED', statusReason: 'No room.' })
    for (const name of ['default-master', 'pool']) await changeGroup(lab, failed, name, { status: 'UPDATE_COMPLETE' })
    await changeGroup(lab, failed, 'default-worker', { statusReason: 'No room for nodes.' })
    await changeCluster(lab, failed, { statusReason: 'No room.' })
    const shown = await lab.call('GET', `/v1/clusters/${done}`)
    return { done, failed, stack: shown.body.stack_id }
  },
)
