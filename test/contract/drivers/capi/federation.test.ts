import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createLogger } from '../../../../local/logger.ts'
import { type Fedplane, startFedplane } from '../../../../local/server.ts'
import { Api, type ClusterView, type FederationView } from '../../../support/api/api.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'

/**
 * Clusters of capi@1 in a federation like any others, through the API. SIMULATED: the API servers of the real in-memory infrastructure know neither
 * server-side apply nor reviews, so nobody can join there.
 */
describe('clusters of capi@1 in a federation of clusterprofile@1', () => {
  let lab: CapiLab
  let fedplane: Fedplane
  let api: Api

  beforeAll(async () => {
    lab = await openCapiLab()
    fedplane = await startFedplane({ clustersPerProject: 100, log: createLogger({ level: 'error' }) })
    api = new Api(fedplane.url, { microversion: 'latest' })
  })
  afterAll(async () => {
    await fedplane?.close()
    await lab?.close()
  })

  const complete = (id: string) => api.settled<ClusterView>(`/v1/clusters/${id}`, 'CREATE_COMPLETE')

  it('are host and members, and can be deleted when they are neither any more', { timeout: 120_000 }, async () => {
    const { kubeconfig } = lab.server
    await complete(
      await api.create('/v1/clusters', { name: 'management', kubeconfig, management: { infrastructure: 'dev' } }),
    )
    const cluster_template_id = await api.create('/v1/clustertemplates', {
      name: 'made',
      coe: 'kubernetes',
      driver: 'capi@1',
      image_id: 'simulated',
      labels: { kube_tag: 'v1.36.1' },
    })
    const made = await Promise.all(
      ['paris', 'tokyo'].map(async (name) => complete(await api.create('/v1/clusters', { name, cluster_template_id }))),
    )
    const [host = '', member = ''] = made.map(({ uuid }) => uuid)

    const id = await api.create('/v1/federations', {
      name: 'world',
      driver: 'clusterprofile@1',
      hostcluster_id: host,
      member_ids: [member],
    })
    const path = `/v1/federations/${id}`
    const federation = await api.settled<FederationView>(path, 'CREATE_COMPLETE')
    expect(federation.members).toMatchObject([{ name: 'tokyo', state: 'Ready' }])
    for (const uuid of [host, member]) {
      await expect(api.delete(`/v1/clusters/${uuid}`)).rejects.toMatchObject({ status: 409 })
    }

    await api.delete(path)
    await api.gone(path)
    for (const uuid of [host, member]) {
      await api.delete(`/v1/clusters/${uuid}`)
      await api.gone(`/v1/clusters/${uuid}`)
    }
  })

  it('are created as hosts with their federation, and go with it', { timeout: 120_000 }, async () => {
    const id = await api.create('/v1/federations', {
      name: 'own',
      driver: 'clusterprofile@1',
      host: { cluster_template_id: 'made', node_count: 2 },
    })
    const path = `/v1/federations/${id}`
    const { hostcluster_id: host } = await api.settled<FederationView>(path, 'CREATE_COMPLETE')
    expect(await complete(host)).toMatchObject({ name: 'own-host', node_count: 2 })

    await api.delete(path)
    await api.gone(path)
    await api.gone(`/v1/clusters/${host}`)
  })
})
