import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Cluster, NO_MAGNUM_ATTRIBUTES } from '../../../functions/core/cluster/cluster.ts'
import { newUuidV7 } from '../../../functions/core/ids.ts'
import type { Principal } from '../../../functions/core/values/identity.ts'
import { type ApiLab, callApp, createApiLab } from '../../support/api/lab.ts'
import { ALICE } from '../../support/api/request.ts'
import { sampleCluster } from '../../support/store/samples.ts'

/** magnum-rest.md 7.4. */

let lab: ApiLab

const clusterOf = (projectId: string, part: Partial<Cluster> = {}): Cluster => ({
  ...sampleCluster({ projectId }),
  magnum: NO_MAGNUM_ATTRIBUTES,
  id: newUuidV7(lab.ports.clock),
  nodes: null,
  observation: null,
  ...part,
})

const made = { nodeCount: 3, masterCount: 1, nodeAddresses: [], masterAddresses: [] }

beforeAll(async () => {
  lab = await createApiLab()
  const clusters = [
    clusterOf('blue', { nodes: made }),
    clusterOf('blue'),
    clusterOf('green', { nodes: { ...made, nodeCount: 5, masterCount: 3 } }),
  ]
  for (const cluster of clusters) await lab.stores.commit([lab.stores.clusters.insert(cluster)])
  const seen = {
    observedAt: '2026-11-27T10:00:00.000Z',
    healthStatus: 'HEALTHY',
    healthReason: {},
    version: null,
  } as const
  const { projectId, id } = clusters[1]!
  await lab.stores.clusters.observe({ projectId, id }, { ...seen, nodeCount: 10, masterCount: 2 })
})
afterAll(() => lab.dispose())

const BLUE: Principal = { userId: 'rita', projectId: 'blue', roles: ['reader'], source: 'token-file' }

const ROWS: readonly [what: string, target: string, as: Principal, status: number, body?: unknown][] = [
  ['everything for an admin', '/v1/stats', ALICE, 200, { clusters: 3, nodes: 24 }],
  ['one project for an admin', '/v1/stats?project_id=green', ALICE, 200, { clusters: 1, nodes: 8 }],
  ['the own project for others', '/v1/stats', BLUE, 200, { clusters: 2, nodes: 16 }],
  ['the own project by name', '/v1/stats?project_id=blue', BLUE, 200, { clusters: 2, nodes: 16 }],
  ['an empty project as none', '/v1/stats?project_id=', BLUE, 200, { clusters: 2, nodes: 16 }],
  ['a project without clusters', '/v1/stats?project_id=red', ALICE, 200, { clusters: 0, nodes: 0 }],
  ['the type in any case', '/v1/stats?type=CLUSTER', BLUE, 200, { clusters: 2, nodes: 16 }],
  ['no other project', '/v1/stats?project_id=green', BLUE, 403],
  ['no other type', '/v1/stats?type=node', ALICE, 400],
  ['no other parameter', '/v1/stats?limit=1', ALICE, 400],
  ['no endless project', `/v1/stats?project_id=${'p'.repeat(3000)}`, ALICE, 400],
]

it.each(ROWS)('counts %s', async (...[, target, as, status, body]) => {
  const answer = await lab.call('GET', target, { as })
  expect(answer.status).toBe(status)
  if (body !== undefined) expect(answer.body).toEqual(body)
})

it.each([
  ['/v1/stats', { clusters: 3, nodes: 24 }],
  ['/v1/stats?project_id=blue', { clusters: 2, nodes: 16 }],
])('counts across pages: %s', async (target, body) => {
  const { clusters } = lab.stores
  const app = lab.appOver({
    stores: {
      ...lab.stores,
      clusters: {
        ...clusters,
        list: (projectId, page) => clusters.list(projectId, { ...page, limit: 1 }),
        listWithin: (reach, page) => clusters.listWithin(reach, { ...page, limit: 1 }),
      },
    },
  })
  expect((await callApp(app, 'GET', target)).body).toEqual(body)
})
