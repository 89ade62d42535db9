import { describe, expect, it } from 'vitest'
import type { ClusterView } from '../../../../local/demo/api.ts'
import { clusterPath } from '../../support/stories.ts'
import { make, remove, template } from '../support/clusters.ts'
import { capiCluster } from '../support/management.ts'
import type { World } from './life.ts'

/** Lives beside the long one. */
export const describeShortLives = (world: () => World): void => {
  describe.concurrent('clusters of capi@1', () => {
    it('are deleted while they are created', async () => {
      const { api, management } = world()
      const id = await api.create('/v1/clusters', {
        name: 'unborn',
        cluster_template_id: await template(api, 'unborn', 'v1.35.2'),
      })
      await expect.poll(() => capiCluster(management, id), { timeout: 120_000, interval: 200 }).toBeDefined()
      expect((await api.get<ClusterView>(clusterPath(id))).status).toBe('CREATE_IN_PROGRESS')
      await remove(api, id)
      expect(await capiCluster(management, id)).toBeUndefined()
    })

    it('may have the same name', async () => {
      const { api, management } = world()
      const templateId = await template(api, 'twins', 'v1.35.2')
      const twins = await Promise.all([make(api, 'twin', templateId), make(api, 'twin', templateId)])
      const names = await Promise.all(
        twins.map(async ({ uuid }) => (await capiCluster(management, uuid))?.metadata.name),
      )
      expect(new Set(names).size).toBe(2)
      expect(new Set(twins.map(({ api_address }) => api_address)).size).toBe(2)
      await Promise.all(twins.map(({ uuid }) => remove(api, uuid)))
    })

    it('are refused with 400 when they can not be', async () => {
      const { api } = world()
      const asked = template(api, 'nonsense', 'latest').then((id) => make(api, 'nonsense', id))
      await expect(asked).rejects.toMatchObject({ status: 400, message: expect.stringContaining('kube_tag') })
    })
  })
}
