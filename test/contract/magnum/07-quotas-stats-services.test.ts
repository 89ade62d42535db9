import { expect } from 'vitest'
import { nodesOf } from '../../../functions/core/cluster/node-group.ts'
import { changeCluster, givenCluster, readGroups } from '../../support/api/entities.ts'
import { BLUE_READER, FOREIGN_ADMIN, OWNER, STRANGER } from './principals.ts'
import { type Call, contractTables, type Given, type Row } from './row.ts'

/** Sections 7.3 to 7.5. The default limit of the lab is 1000. */

const TIME = expect.stringMatching(/\+00:00$/)
const KEYS = ['id', 'project_id', 'resource', 'hard_limit', 'created_at', 'updated_at']

let projects = 0
/** A project with a quota of 5. */
const given: Given = async (lab) => {
  const project = `project-${++projects}`
  const answer = await lab.call('POST', '/v1/quotas', { body: { project_id: project, hard_limit: 5 } })
  return { project, id: String(answer.body.id) }
}
/** A project without. */
const none: Given = async () => ({ project: `project-${++projects}` })

const create = (body: object, as?: Call['as']): Call => ({
  line: 'POST /v1/quotas',
  body: { project_id: '{project}', ...body },
  ...(as === undefined ? {} : { as }),
})
const quota = (method: string, more: Partial<Call> = {}): Call => ({
  line: `${method} /v1/quotas/{project}/Cluster`,
  ...more,
})

const CREATED: [body: object, shown: object][] = [
  [
    { resource: 'Cluster', hard_limit: 7 },
    { resource: 'Cluster', hard_limit: 7 },
  ],
  [{ hard_limit: 0 }, { hard_limit: 0 }],
  [{ hard_limit: '12' }, { hard_limit: 12 }],
  [{}, { resource: 'Cluster', hard_limit: 1 }],
  [
    { resource: null, hard_limit: null },
    { resource: 'Cluster', hard_limit: 1 },
  ],
]

const QUOTAS: Row[] = [
  ...CREATED.map(
    ([body, shown]): Row => ({
      section: '7.3',
      name: `POST with ${JSON.stringify(body)} is 201 with exact keys`,
      given: none,
      request: create(body),
      expect: {
        status: 201,
        keys: KEYS,
        body: { id: expect.any(Number), project_id: '{project}', created_at: TIME, updated_at: null, ...shown },
      },
    }),
  ),
  ...[{ hard_limit: -1 }, { hard_limit: 1.5 }, { hard_limit: 'x' }, { resource: 'Node' }, { colour: 'red' }].map(
    (body): Row => ({
      section: '7.3',
      name: `POST with ${JSON.stringify(body)} is 400`,
      request: { line: 'POST /v1/quotas', body: { project_id: 'p', ...body } },
      expect: 400,
    }),
  ),
  {
    section: '7.3',
    name: 'POST of one that is there is 409',
    given,
    request: create({}),
    expect: 409,
  },
  { section: '7.3', name: 'POST by a member is 403', given: none, request: create({}, OWNER), expect: 403 },
  {
    section: '7.3',
    name: 'GET is 200 with exact keys',
    given,
    request: quota('GET'),
    expect: { status: 200, keys: KEYS, body: { hard_limit: 5, resource: 'Cluster' } },
  },
  {
    section: '7.3',
    name: 'GET where none is set is the default, without id and times',
    given: none,
    request: quota('GET'),
    expect: {
      status: 200,
      keys: ['hard_limit', 'project_id', 'resource'],
      body: { hard_limit: 1000, project_id: '{project}', resource: 'Cluster' },
    },
  },
  {
    section: '7.3',
    name: 'GET of an unknown resource is 400, since there are limits of other resources (decision 0042)',
    given,
    request: 'GET /v1/quotas/{project}/Nodes',
    expect: 400,
  },
  {
    section: '7.3',
    name: 'PATCH takes a plain object, and is 202 with the whole quota',
    given,
    request: quota('PATCH', { body: { hard_limit: 9 } }),
    expect: { status: 202, keys: KEYS, body: { hard_limit: 9, updated_at: TIME } },
  },
  {
    section: '7.3',
    name: 'PATCH with {} makes it 1',
    given,
    request: quota('PATCH', { body: {} }),
    expect: { status: 202, body: { hard_limit: 1 } },
  },
  {
    section: '10.1',
    name: 'PATCH as the CLI sends it',
    given,
    request: quota('PATCH', { body: { project_id: '{project}', resource: 'Cluster', hard_limit: 8 } }),
    expect: { status: 202, body: { hard_limit: 8 } },
  },
  {
    section: '7.3',
    name: 'PATCH with a JSON Patch is 400',
    given,
    request: quota('PATCH', { body: [{ op: 'replace', path: '/hard_limit', value: 9 }] }),
    expect: 400,
  },
  {
    section: '7.3',
    name: 'PATCH with -1 is 400',
    given,
    request: quota('PATCH', { body: { hard_limit: -1 } }),
    expect: 400,
  },
  {
    section: '7.3',
    name: 'PATCH where none is set is 404',
    given: none,
    request: quota('PATCH', { body: { hard_limit: 9 } }),
    expect: 404,
  },
  {
    section: '7.3',
    name: 'DELETE is 204, and the default holds again',
    given,
    request: quota('DELETE'),
    expect: { status: 204, body: null },
    after: { request: quota('GET'), expect: { status: 200, body: { hard_limit: 1000 } } },
  },
  { section: '7.3', name: 'DELETE where none is set is 404', given: none, request: quota('DELETE'), expect: 404 },
  ...['PATCH', 'DELETE'].map(
    (method): Row => ({
      section: '7.3',
      name: `${method} by a member is 403`,
      given,
      request: quota(method, { as: OWNER, ...(method === 'PATCH' ? { body: {} } : {}) }),
      expect: 403,
    }),
  ),
  {
    section: '7.3',
    name: 'the list is that of the own project',
    request: { line: 'GET /v1/quotas', as: FOREIGN_ADMIN },
    expect: { status: 200, keys: ['quotas'], body: { quotas: [{ project_id: 'green' }] } },
  },
  {
    section: '7.3',
    name: 'an item of the list has exact keys',
    request: { line: 'GET /v1/quotas', as: FOREIGN_ADMIN },
    expect: { status: 200, of: 'quotas.0', keys: KEYS },
  },
  {
    section: '7.3',
    name: 'all_tenants=True lists all',
    request: 'GET /v1/quotas?all_tenants=True&limit=2',
    expect: { status: 200, keys: ['quotas', 'next'], body: { quotas: [{}, {}] } },
  },
  {
    section: '11.19',
    name: 'marker is the integer id of the last one seen',
    given,
    request: 'GET /v1/quotas?all_tenants=True&marker={id}',
    expect: { status: 200, body: { quotas: [] } },
  },
  ...['sort_key=hard_limit', 'sort_key=id&sort_dir=desc'].map(
    (query): Row => ({
      section: '7.3',
      name: `the list takes ${query}`,
      request: `GET /v1/quotas?all_tenants=True&${query}`,
      expect: 200,
    }),
  ),
  {
    section: '7.3',
    name: 'GET of the own project’s by a reader',
    request: { line: 'GET /v1/quotas/blue/Cluster', as: BLUE_READER },
    expect: 200,
  },
]

const stats = (query: string, as?: Call['as']): Call => ({
  line: `GET /v1/stats${query}`,
  ...(as === undefined ? {} : { as }),
})
const BLUE = { clusters: 2, nodes: 5 }

const STATS: Row[] = [
  {
    section: '7.4',
    name: 'a member counts the own project, masters among the nodes',
    request: stats('', OWNER),
    expect: { status: 200, keys: ['clusters', 'nodes'], body: BLUE },
  },
  {
    section: '7.4',
    name: 'an administrator counts everything',
    request: stats('', FOREIGN_ADMIN),
    expect: { status: 200, body: { clusters: 3, nodes: 7 } },
  },
  {
    section: '7.4',
    name: 'an administrator counts another project',
    request: stats('?project_id=blue', FOREIGN_ADMIN),
    expect: { status: 200, body: BLUE },
  },
  {
    section: '7.4',
    name: 'an unknown project has none',
    request: stats('?project_id=none'),
    expect: { status: 200, body: { clusters: 0, nodes: 0 } },
  },
  { section: '7.4', name: 'another project is 403', request: stats('?project_id=blue', STRANGER), expect: 403 },
  ...['cluster', 'Cluster', 'CLUSTER'].map(
    (type): Row => ({
      section: '7.4',
      name: `type=${type}`,
      request: stats(`?type=${type}&project_id=blue`),
      expect: { status: 200, body: BLUE },
    }),
  ),
  { section: '7.4', name: 'another type is 400', request: stats('?type=node'), expect: 400 },
]

const SERVICES: Row[] = [
  {
    section: '7.5',
    name: 'services have exact keys',
    request: 'GET /v1/mservices',
    expect: {
      status: 200,
      of: 'mservices.0',
      keys: [
        'id',
        'host',
        'binary',
        'state',
        'report_count',
        'disabled',
        'disabled_reason',
        'created_at',
        'updated_at',
      ],
      body: {
        id: 1,
        host: 'reconciler',
        binary: 'magnum-conductor',
        state: 'up',
        report_count: 1,
        disabled: false,
        disabled_reason: null,
        created_at: TIME,
      },
    },
  },
  {
    section: '7.5',
    name: 'the list has no other keys',
    request: 'GET /v1/mservices',
    expect: { status: 200, keys: ['mservices'] },
  },
  {
    section: '7.5',
    name: 'they are for administrators',
    request: { line: 'GET /v1/mservices', as: OWNER },
    expect: 403,
  },
]

contractTables({ quotas: QUOTAS, stats: STATS, services: SERVICES }, async (lab) => {
  await lab.call('POST', '/v1/quotas', { body: { project_id: 'green', hard_limit: 50 } })
  await givenCluster(lab, { body: { driver: 'memory@1', node_count: 2 } })
  const small = await givenCluster(lab)
  await givenCluster(lab, { as: STRANGER })
  await lab.stores.heartbeats.beat('reconciler')
  await changeCluster(lab, small, { nodes: nodesOf(await readGroups(lab, small)) })
  return {}
})
