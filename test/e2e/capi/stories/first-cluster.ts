import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { className } from '../../../../functions/drivers/cluster/capi/v1/render/class-objects.ts'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'
import { namespaces } from '../../../../functions/kubernetes/resources.ts'
import { createLogger } from '../../../../local/logger.ts'
import { type Fedplane, startFedplane } from '../../../../local/server.ts'
import { Api } from '../../../support/api/api.ts'
import { type MadeCluster, make, remove, resize, template } from '../support/clusters.ts'
import { CORE, capiCluster, type Management, registerManagement } from '../support/management.ts'

const PREFIX = 'first'
const PROJECT = `${PREFIX}-local`

type Topology = {
  classRef: { name: string; namespace?: string }
  workers: { machineDeployments: { replicas?: number }[] }
}

/** A fedplane of its own, with namespaces of its own, so that nobody else makes the class before. */
export const describeFirstCluster = (world: () => { management: Management }): void => {
  describe.concurrent('the first cluster of capi@1 in a management cluster', () => {
    let fedplane: Fedplane
    let api: Api
    let cluster: MadeCluster

    beforeAll(async () => {
      fedplane = await startFedplane({ log: createLogger({ level: 'error' }) })
      api = new Api(fedplane.url, { microversion: 'latest' })
      await registerManagement(api, world().management, { namespace_prefix: PREFIX })
    }, 120_000)
    afterAll(() => fedplane?.close())

    const topologyOf = async (): Promise<Topology | undefined> => {
      const object = await capiCluster(world().management, cluster.uuid)
      return (object?.spec as { topology: Topology } | undefined)?.topology
    }

    const deployment = async (): Promise<(KubernetesObject & { spec: { replicas: number } }) | undefined> => {
      const labelSelector = 'topology.cluster.x-k8s.io/deployment-name'
      const found = await world().management.admin.list(
        { ...CORE, plural: 'machinedeployments', namespace: PROJECT },
        { labelSelector },
      )
      return found.items[0] as (KubernetesObject & { spec: { replicas: number } }) | undefined
    }

    it('is refused with 400 by what only Cluster API refuses, and leaves nothing', { concurrent: false }, async ({
      expect,
    }) => {
      const { admin } = world().management
      // `check` takes it: no number of a version may begin with 0 for Cluster API alone.
      const cluster_template_id = await template(api, 'odd', 'v1.036.1')
      const refusal = () =>
        api.create('/v1/clusters', { name: 'odd', cluster_template_id }).catch((error: unknown) => error)
      // 503 says that Cluster API was too slow to know the class: on a busy machine that may be so once.
      await expect.poll(refusal, { timeout: 240_000, interval: 1000 }).not.toMatchObject({ status: 503 })
      expect(await refusal()).toMatchObject({
        status: 400,
        message: expect.stringContaining('version must be a valid semantic version'),
      })
      const { clusters } = await api.get<{ clusters: { name: string }[] }>('/v1/clusters')
      expect(clusters.map(({ name }) => name)).toEqual([world().management.cluster.name])
      expect(await admin.get(namespaces, PROJECT)).toBeUndefined()
      const classes = await admin.list({ ...CORE, plural: 'clusterclasses', namespace: PREFIX })
      expect(classes.items.map(({ metadata }) => metadata.name)).toEqual([className('dev')])
    })

    it('is made from the class for all projects', { concurrent: false }, async () => {
      const labels = { auto_scaling_enabled: 'true', min_node_count: '1', max_node_count: '4' }
      const templateId = await template(api, 'first', 'v1.35.2', labels)
      cluster = await make(api, 'first', templateId, 2)
      expect((await topologyOf())?.classRef).toEqual({ name: className('dev'), namespace: PREFIX })
    })

    it('has as many autoscaled nodes as were asked for, and no count in its topology', {
      concurrent: false,
    }, async () => {
      expect(cluster.node_count).toBe(2)
      expect(cluster.node_addresses).toHaveLength(2)
      expect((await topologyOf())?.workers.machineDeployments[0]).not.toHaveProperty('replicas')
      expect((await deployment())?.spec.replicas).toBe(2)
    })

    it('is resized where its autoscaler would do it', { concurrent: false }, async () => {
      expect((await resize(api, cluster.uuid, 3)).node_addresses).toHaveLength(3)
      const down = await resize(api, cluster.uuid, 1)
      expect(down.node_addresses).toHaveLength(1)
      expect((await topologyOf())?.workers.machineDeployments[0]).not.toHaveProperty('replicas')
      expect((await deployment())?.spec.replicas).toBe(1)
    })

    it('follows an autoscaler', { concurrent: false }, async ({ expect }) => {
      const { metadata } = (await deployment()) ?? { metadata: { name: '' } }
      await world().management.admin.patch(
        { ...CORE, plural: 'machinedeployments', namespace: PROJECT },
        metadata.name,
        { spec: { replicas: 2 } },
      )
      const count = async () => (await api.get<MadeCluster>(`/v1/clusters/${cluster.uuid}`)).node_count
      await expect.poll(count, { timeout: 240_000, interval: 1000 }).toBe(2)
      await remove(api, cluster.uuid)
    })
  })
}
