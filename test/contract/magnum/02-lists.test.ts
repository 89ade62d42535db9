import { expect } from 'vitest'
import { givenCluster, givenFederation } from '../../support/api/entities.ts'
import { BASE_URL } from '../../support/api/lab.ts'
import { copyCluster, givenReachable } from '../../support/api/node-groups.ts'
import { postTemplate } from '../../support/api/template-calls.ts'
import { OWNER, STRANGER } from './principals.ts'
import { contractTables, type Row } from './row.ts'

const NOBODYS = '00000000-0000-4000-8000-00000000dead'

/** Every list, with the collection's key. The stranger's project has two objects of each kind, the names' `{a}` and `{b}`. */
const COLLECTIONS: [path: string, key: string, first: string][] = [
  ['clusters', 'clusters', '{clusterA}'],
  ['clusters/detail', 'clusters', '{clusterA}'],
  ['clusters/{clusterA}/nodegroups', 'nodegroups', '{groupA}'],
  ['federations', 'federations', '{federationA}'],
  ['federations/detail', 'federations', '{federationA}'],
]
const TEMPLATES: [path: string, key: string][] = [
  ['clustertemplates', 'clustertemplates'],
  ['clustertemplates/detail', 'clustertemplates'],
]
const LISTS = [...COLLECTIONS, ...TEMPLATES]

const get = (path: string) => ({ line: `GET /v1/${path}`, version: '1.9', as: STRANGER })

const QUERIES: [query: string, status: number][] = [
  ['limit=1', 200],
  ['limit=5000', 200],
  ['limit=99999999999', 200],
  ['limit=0', 400],
  ['limit=-1', 400],
  ['limit=x', 400],
  ['limit=1.5', 400],
  ['marker=no-uuid', 400],
  [`marker=${NOBODYS}`, 404],
  ['sort_key=id', 200],
  ['sort_key=uuid', 200],
  ['sort_key=name', 200],
  ['sort_key=created_at&sort_dir=desc', 200],
  ['sort_key=colour', 400],
  ['sort_dir=asc', 200],
  ['sort_dir=sideways', 400],
  ['all_tenants=True', 400],
  ['name=x', 400],
  ['status=CREATE_COMPLETE', 400],
]

const PARAMETERS = LISTS.flatMap(([path]) =>
  QUERIES.map(
    ([query, status]): Row => ({
      section: '2',
      name: `${path}?${query} is ${status}`,
      request: get(`${path}?${query}`),
      expect: status,
    }),
  ),
)

const PAGES: Row[] = COLLECTIONS.flatMap(([path, key, first]): Row[] => [
  {
    section: '2',
    name: `${path}: a page that is not full has no next`,
    request: get(path),
    expect: { status: 200, keys: [key] },
  },
  {
    section: '2',
    name: `${path}: a full page has next with the marker of its last item`,
    request: get(`${path}?limit=1`),
    expect: {
      status: 200,
      keys: [key, 'next'],
      body: {
        [key]: [{ uuid: first }],
        next: `${BASE_URL}/v1/${path}?sort_key=id&sort_dir=asc&limit=1&marker=${first}`,
      },
    },
  },
  {
    section: '2',
    name: `${path}: next is there when the full page is the last one`,
    request: get(`${path}?limit=2`),
    expect: { status: 200, keys: [key, 'next'] },
  },
  {
    section: '2',
    name: `${path}: next keeps sort_key and sort_dir`,
    request: get(`${path}?sort_key=name&sort_dir=desc&limit=1`),
    expect: {
      status: 200,
      body: { next: expect.stringContaining('?sort_key=name&sort_dir=desc&limit=1&marker=') },
    },
  },
])

const MORE_PAGES: Row[] = [
  {
    section: '2',
    name: 'marker: what comes after it',
    request: get('clusters?marker={clusterA}'),
    expect: { status: 200, keys: ['clusters'], body: { clusters: [{ uuid: '{clusterB}' }] } },
  },
  {
    section: '2',
    name: 'marker: after the last one there is an empty page without next',
    request: get('clusters?limit=2&marker={clusterB}'),
    expect: { status: 200, keys: ['clusters'], body: { clusters: [] } },
  },
  {
    section: '2',
    name: 'sort_dir=desc turns the order round',
    request: get('clusters?sort_dir=desc'),
    expect: { status: 200, body: { clusters: [{ uuid: '{clusterB}' }, { uuid: '{clusterA}' }] } },
  },
  {
    section: '2',
    name: 'sort_key=name sorts by name',
    request: get('clusters?sort_key=name'),
    expect: { status: 200, body: { clusters: [{ name: 'one' }, { name: 'zwo' }] } },
  },
  ...['node_count', 'master_count'].map(
    (key): Row => ({
      section: '2',
      name: `the computed ${key} does not sort`,
      request: get(`clusters?sort_key=${key}`),
      expect: 400,
    }),
  ),
  {
    section: '2',
    name: 'node groups have the parameter role',
    request: get('clusters/{clusterA}/nodegroups?role=worker'),
    expect: { status: 200, body: { nodegroups: [{ role: 'worker' }] } },
  },
  {
    section: '2',
    name: 'next keeps role',
    better: true,
    request: get('clusters/{clusterA}/nodegroups?role=worker&limit=1'),
    expect: { status: 200, body: { next: expect.stringContaining('role=worker') } },
  },
  {
    section: '2',
    name: 'next of quotas keeps all_tenants',
    better: true,
    request: 'GET /v1/quotas?all_tenants=True&limit=1',
    expect: { status: 200, body: { next: expect.stringMatching(/all_tenants=true/i) } },
  },
  {
    section: '2',
    name: 'the marker of quotas is an integer',
    request: 'GET /v1/quotas?all_tenants=True&marker=x',
    expect: 400,
  },
  {
    section: '2',
    name: 'an unknown integer marker of quotas',
    request: 'GET /v1/quotas?all_tenants=True&marker=4711',
    expect: 404,
  },
  { section: '2', name: 'stats have no limit', request: 'GET /v1/stats?limit=1', expect: 400 },
  { section: '7.5', name: 'mservices have no parameters', request: 'GET /v1/mservices?limit=1', expect: 400 },
]

const linksOf = (path: string) => [
  { href: `${BASE_URL}/v1/${path}`, rel: 'self' },
  { href: `${BASE_URL}/${path}`, rel: 'bookmark' },
]

const LINKS: Row[] = [
  ...[
    ['clusters/{clusterA}', ''],
    ['federations/{federationA}', ''],
    ['clustertemplates/{template}', ''],
  ].map(
    ([path]): Row => ({
      section: '2',
      name: `links of ${path}`,
      request: get(path!),
      expect: { status: 200, of: 'links', body: linksOf(path!) },
    }),
  ),
  {
    section: '6',
    name: 'links of a node group are below its cluster',
    request: get('clusters/{clusterA}/nodegroups/{groupA}'),
    expect: { status: 200, of: 'links', body: linksOf('clusters/{clusterA}/nodegroups/{groupA}') },
  },
  {
    section: '2',
    name: 'items of a list have links',
    request: get('clusters'),
    expect: { status: 200, of: 'clusters.0.links', body: linksOf('clusters/{clusterA}') },
  },
]

contractTables({ parameters: PARAMETERS, pages: PAGES, 'more of pages': MORE_PAGES, links: LINKS }, async (lab) => {
  const as = STRANGER
  const clusterA = await givenReachable(lab)
  const mine = await givenCluster(lab, { name: 'one', as })
  const other = await givenCluster(lab, { name: 'zwo', as })
  const federations = []
  for (const host of [mine, other]) {
    federations.push((await lab.call('POST', '/v1/federations', { as, body: { hostcluster_id: host } })).body.uuid)
  }
  await lab.call('POST', '/v1/quotas', { body: { project_id: 'green' } })
  const groups = await lab.stores.nodeGroups.listOf({ projectId: 'green', id: mine })
  await copyCluster(lab, clusterA)
  await givenFederation(lab, { host: clusterA })
  return {
    clusterA: mine,
    clusterB: other,
    groupA: groups[0]!.id,
    federationA: federations[0],
    template: await postTemplate(lab, {}, { ...OWNER, ...as }),
  }
})
