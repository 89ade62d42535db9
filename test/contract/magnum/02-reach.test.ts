import type { Principal } from '../../../functions/core/values/identity.ts'
import { givenCluster, givenFederation, givenTemplate, settleCluster } from '../../support/api/entities.ts'
import { copyCluster, givenGroup, givenReachable } from '../../support/api/node-groups.ts'
import { madeRequest } from '../../support/x509/signing-requests.ts'
import { FOREIGN_ADMIN, STRANGER } from './principals.ts'
import { contractTables, type Given, type Row } from './row.ts'

/** Section 2, "Admin cross-project reach": each cell, and what a foreign member gets there. All objects are of the project `blue`. */

const fresh: Given = async (lab, { pattern }) => ({ c: await copyCluster(lab, pattern!) })
const freshTemplate: Given = async (lab) => ({ t: (await givenTemplate(lab)).id })
const PATCH_COUNT = [{ op: 'replace', path: '/node_count', value: 2 }]
const RENAME = [{ op: 'replace', path: '/name', value: 'other' }]

type Cell = {
  what: string
  line: string
  body?: unknown
  given?: Given
  admin: number
  member: number
}

const READS: Cell[] = [
  { what: 'cluster show', line: 'GET /v1/clusters/{pattern}', admin: 200, member: 404 },
  { what: 'cluster show by name', line: 'GET /v1/clusters/theirs', admin: 200, member: 404 },
  { what: 'template show', line: 'GET /v1/clustertemplates/{private}', admin: 200, member: 404 },
  { what: 'hidden template show', line: 'GET /v1/clustertemplates/{hidden}', admin: 200, member: 404 },
  { what: 'hidden public template show', line: 'GET /v1/clustertemplates/{hiddenPublic}', admin: 200, member: 404 },
  { what: 'public template show', line: 'GET /v1/clustertemplates/{public}', admin: 200, member: 200 },
  { what: 'node group list', line: 'GET /v1/clusters/{pattern}/nodegroups', admin: 200, member: 404 },
  { what: 'node group show', line: 'GET /v1/clusters/{pattern}/nodegroups/pool', admin: 200, member: 404 },
  { what: 'authority show', line: 'GET /v1/certificates/{pattern}', admin: 404, member: 404 },
  { what: 'federation show', line: 'GET /v1/federations/{federation}', admin: 404, member: 404 },
  { what: 'quotas of all', line: 'GET /v1/quotas?all_tenants=True', admin: 200, member: 403 },
  { what: 'quota of another', line: 'GET /v1/quotas/blue/Cluster', admin: 200, member: 403 },
  { what: 'stats of another', line: 'GET /v1/stats?project_id=blue', admin: 200, member: 403 },
  { what: 'services', line: 'GET /v1/mservices', admin: 200, member: 403 },
]

const CHANGES: Cell[] = [
  { what: 'cluster PATCH', line: 'PATCH /v1/clusters/{c}', body: PATCH_COUNT, given: fresh, admin: 202, member: 404 },
  { what: 'cluster DELETE', line: 'DELETE /v1/clusters/{c}', given: fresh, admin: 204, member: 404 },
  {
    what: 'upgrade',
    line: 'POST /v1/clusters/{c}/actions/upgrade',
    body: { cluster_template: '{public}', max_batch_size: 1 },
    given: fresh,
    admin: 202,
    member: 404,
  },
  {
    what: 'resize',
    line: 'POST /v1/clusters/{pattern}/actions/resize',
    body: { node_count: 2 },
    admin: 404,
    member: 404,
  },
  {
    what: 'template PATCH',
    line: 'PATCH /v1/clustertemplates/{t}',
    body: RENAME,
    given: freshTemplate,
    admin: 200,
    member: 404,
  },
  {
    what: 'template DELETE',
    line: 'DELETE /v1/clustertemplates/{t}',
    given: freshTemplate,
    admin: 204,
    member: 404,
  },
  {
    what: 'node group create',
    line: 'POST /v1/clusters/{pattern}/nodegroups',
    body: { name: 'n' },
    admin: 404,
    member: 404,
  },
  {
    what: 'node group PATCH',
    line: 'PATCH /v1/clusters/{pattern}/nodegroups/pool',
    body: [],
    admin: 404,
    member: 404,
  },
  { what: 'node group DELETE', line: 'DELETE /v1/clusters/{pattern}/nodegroups/pool', admin: 404, member: 404 },
  {
    what: 'certificate sign (an unknown cluster is 400 there)',
    line: 'POST /v1/certificates',
    body: { cluster_uuid: '{pattern}', csr: '{csr}' },
    admin: 400,
    member: 400,
  },
  { what: 'authority rotate', line: 'PATCH /v1/certificates/{pattern}', admin: 404, member: 404 },
  { what: 'credential rotate', line: 'PATCH /v1/credentials/{pattern}', admin: 404, member: 404 },
  { what: 'federation PATCH', line: 'PATCH /v1/federations/{federation}', body: [], admin: 404, member: 404 },
  { what: 'federation DELETE', line: 'DELETE /v1/federations/{federation}', admin: 404, member: 404 },
  {
    what: 'federation create on a foreign host',
    line: 'POST /v1/federations',
    body: { hostcluster_id: '{pattern}', properties: { 'dns-zone': 'example.com' } },
    admin: 404,
    member: 404,
  },
]

const rowOf =
  (who: 'admin' | 'member', as: Principal) =>
  ({ what, line, body, given, ...cell }: Cell): Row => ({
    section: '2',
    name: `${what} is ${cell[who]}`,
    ...(given === undefined ? {} : { given }),
    request: { line, version: 'latest', as, ...(body === undefined ? {} : { body }) },
    expect: cell[who],
  })

type Listed = { line: string; of: string; has: string[]; lacks: string[] }

const CLUSTERS = ['clusters', 'clusters/detail'].map((path) => ({ line: `GET /v1/${path}`, of: 'clusters' }))
const TEMPLATES = ['clustertemplates', 'clustertemplates/detail'].map((path) => ({
  line: `GET /v1/${path}`,
  of: 'clustertemplates',
}))
const FEDERATIONS = ['federations', 'federations/detail'].map((path) => ({
  line: `GET /v1/${path}`,
  of: 'federations',
}))
const NOT_OF_OTHERS = ['{private}', '{hidden}', '{hiddenPublic}']

const LISTS: Record<'admin' | 'member', Listed[]> = {
  admin: [
    ...CLUSTERS.map((list) => ({ ...list, has: ['{pattern}', '{green}'], lacks: [] })),
    ...TEMPLATES.map((list) => ({ ...list, has: [...NOT_OF_OTHERS, '{public}'], lacks: [] })),
    ...FEDERATIONS.map((list) => ({ ...list, has: [], lacks: ['{federation}'] })),
  ],
  member: [
    ...CLUSTERS.map((list) => ({ ...list, has: ['{green}'], lacks: ['{pattern}'] })),
    ...TEMPLATES.map((list) => ({ ...list, has: ['{public}'], lacks: NOT_OF_OTHERS })),
    ...FEDERATIONS.map((list) => ({ ...list, has: [], lacks: ['{federation}'] })),
  ],
}

const listRow =
  (who: string, as: Principal) =>
  ({ line, ...expected }: Listed): Row => ({
    section: '2',
    name: `${line} by a foreign ${who}`,
    request: { line, as },
    expect: { status: 200, ...expected },
  })

const FOREIGN_PUBLIC: Row[] = ['PATCH', 'DELETE'].map((method) => ({
  section: '2',
  name: `${method} of a foreign public template by a member is 403`,
  request: {
    line: `${method} /v1/clustertemplates/{public}`,
    as: STRANGER,
    ...(method === 'PATCH' ? { body: RENAME } : {}),
  },
  expect: 403,
}))

contractTables(
  {
    'an administrator of another project reads': READS.map(rowOf('admin', FOREIGN_ADMIN)),
    'an administrator of another project changes': CHANGES.map(rowOf('admin', FOREIGN_ADMIN)),
    'a member of another project reads': READS.map(rowOf('member', STRANGER)),
    'a member of another project changes': CHANGES.map(rowOf('member', STRANGER)),
    lists: [
      ...LISTS.admin.map(listRow('administrator', FOREIGN_ADMIN)),
      ...LISTS.member.map(listRow('member', STRANGER)),
    ],
    'public templates': FOREIGN_PUBLIC,
  },
  async (lab) => {
    const pattern = await givenReachable(lab)
    await givenCluster(lab, { name: 'theirs' })
    await givenGroup(lab, pattern)
    await settleCluster(lab, pattern, { status: 'UPDATE_COMPLETE' })
    const templates = []
    for (const isPublic of [false, true]) {
      for (const hidden of [false, true]) templates.push((await givenTemplate(lab, { public: isPublic, hidden })).id)
    }
    const [inPrivate, hidden, inPublic, hiddenPublic] = templates as [string, string, string, string]
    return {
      pattern,
      private: inPrivate,
      hidden,
      public: inPublic,
      hiddenPublic,
      green: await givenCluster(lab, { name: 'own', as: STRANGER }),
      federation: (await givenFederation(lab, { host: await copyCluster(lab, pattern) })).id,
      csr: madeRequest('terraform'),
    }
  },
)
