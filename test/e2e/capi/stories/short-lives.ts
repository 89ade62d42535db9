import { describe, expect, it } from 'vitest'
import type { ClusterView } from '../../../support/api/api.ts'
import { clusterPath } from '../../support/stories.ts'
import { make, remove, settled, template } from '../support/clusters.ts'
import { capiCluster } from '../support/management.ts'
import type { World } from './life.ts'

/** Lives beside the long one. */
export const describeShortLives = (world: () => World): void => {
  describe.concurrent('clusters of capi@1', () => {
    it('may have the same name, and are deleted while they are created', async ({ expect }) => {
      const { api, management } = world()
      const cluster_template_id = await template(api, 'twins', 'v1.35.2')
      const twins = await Promise.all(
        [1, 2].map(() => api.create('/v1/clusters', { name: 'twin', cluster_template_id })),
      )
      const views = () => Promise.all(twins.map((id) => api.get<ClusterView>(clusterPath(id))))
      const addresses = async () => (await views()).flatMap(({ api_address }) => api_address ?? [])
      await expect.poll(async () => (await addresses()).length, { timeout: 240_000, interval: 200 }).toBe(2)
      expect(new Set(await addresses()).size).toBe(2)
      const objects = await Promise.all(twins.map((id) => capiCluster(management, id)))
      expect(new Set(objects.map((object) => object?.metadata.name)).size).toBe(2)

      expect((await views()).map(({ status }) => status)).toEqual(['CREATE_IN_PROGRESS', 'CREATE_IN_PROGRESS'])
      const [unborn = '', other = ''] = twins
      await remove(api, unborn)
      expect(await capiCluster(management, unborn)).toBeUndefined()
      await settled(api, other, 'CREATE_COMPLETE')
      await remove(api, other)
    })

    it('are refused with 400 when they can not be', async () => {
      const { api } = world()
      const asked = template(api, 'nonsense', 'latest').then((id) => make(api, 'nonsense', id))
      await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining('kube_tag') })
    })
  })
}
