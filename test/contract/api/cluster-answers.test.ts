import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import * as z from 'zod'
import {
  clusterAnswer,
  clusterDetailAnswer,
  clusterItemAnswer,
} from '../../../functions/api/clusters/cluster.answer.schema.ts'
import {
  changeCluster,
  givenCluster,
  givenFederation,
  givenTemplate,
  settleCluster,
} from '../../support/api/entities.ts'
import { kubeconfigText } from '../../support/api/kubeconfigs.ts'
import { type ApiLab, createApiLab } from '../../support/api/lab.ts'

/** Clusters in every kind of state. */
let ids: string[]
let lab: ApiLab
beforeAll(async () => {
  lab = await createApiLab()
  const template = await givenTemplate(lab, { spec: { labels: { a: 'b' }, keypairId: 'key', dockerVolumeSize: 5 } })
  const failed = await givenCluster(lab, { body: { cluster_template_id: template.id, labels: { c: 'd' } } })
  await settleCluster(lab, failed, { status: 'UPDATE_FAILED', statusReason: 'Why.' })
  const external = await givenCluster(lab, { body: { kubeconfig: kubeconfigText() } })
  await lab.stores.clusters.observe(
    { projectId: 'blue', id: external },
    {
      observedAt: '2026-11-27T10:00:00.000Z',
      healthStatus: 'UNHEALTHY',
      healthReason: { api: 'ok', 'n1.Ready': 'False' },
      version: 'v1.36.2',
      nodeCount: 3,
      masterCount: 1,
    },
  )
  const running = await givenCluster(lab, { status: 'UPDATE_IN_PROGRESS' })
  const changedAt = '2026-11-27T10:00:00.000Z'
  const condition = { type: 'Up', status: 'True', reason: 'Ok', message: '', observedRevision: 1, changedAt } as const
  await changeCluster(lab, running, { conditions: [condition], task: { kind: 'rotate-credential' } })
  const { host } = await givenFederation(lab)
  ids = [failed, external, running, host]
})
afterAll(() => lab.dispose())

const get = async (target: string, version: string) =>
  (await lab.call('GET', target, { headers: { 'OpenStack-API-Version': `container-infra ${version}` } })).body

/** Refuses what the documented shape has not. */
const exactly = (schema: z.ZodObject) => z.strictObject(schema.shape)

describe.each(['1.1', 'latest'])('section 4.2: at version %s', (version) => {
  it.each([
    ['/v1/clusters', clusterItemAnswer],
    ['/v1/clusters/detail', clusterDetailAnswer],
  ])('every item of %s is as documented', async (target, schema) => {
    const { clusters } = await get(target, version)
    expect(clusters).toHaveLength(4)
    for (const cluster of clusters) expect(exactly(schema).safeParse(cluster).error).toBeUndefined()
  })

  it('every cluster shown is as documented', async () => {
    for (const id of ids) {
      expect(exactly(clusterAnswer).safeParse(await get(`/v1/clusters/${id}`, version)).error).toBeUndefined()
    }
  })
})
