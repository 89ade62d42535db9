import { describe, it } from 'vitest'
import type { ClusterView } from '../../../support/api/api.ts'
import { clusterPath } from '../../support/stories.ts'
import { groupsOf, make, remove, settled, template } from '../support/clusters.ts'
import type { World } from './life.ts'

/** An upgrade whose machines never come up, and the way on (decisions 0024 and 0025). */
export const describeStuckUpgrade = (world: () => World): void => {
  describe.concurrent('an upgrade of capi@1 whose machines never come up', () => {
    it('says so, and gives way to another one of the same version', async ({ expect }) => {
      const { api } = world()
      const [before, never, after] = await Promise.all([
        template(api, 'stuck-before', 'v1.35.2'),
        template(api, 'stuck-never', 'v1.36.1', { dev_startup_seconds: '3600' }),
        template(api, 'stuck-after', 'v1.36.1'),
      ])
      const { uuid } = await make(api, 'stuck', before)
      const upgrade = (cluster_template: string) =>
        api.ask('POST', `${clusterPath(uuid)}/actions/upgrade`, { cluster_template, max_batch_size: 1 })
      const reason = async () => (await api.get<ClusterView>(clusterPath(uuid))).status_reason

      await upgrade(never)
      await expect
        .poll(reason, { timeout: 240_000, interval: 1000 })
        .toMatch(/waiting for default-master: 2 nodes are there, 1 is wanted, 1 is not ready \(.*Machine/)
      await upgrade(after)
      const upgraded = await settled(api, uuid, 'UPDATE_COMPLETE')
      expect(upgraded).toMatchObject({ coe_version: 'v1.36.1', cluster_template_id: after })
      expect((await groupsOf(api, uuid)).map(({ version }) => version)).toEqual(['v1.36.1', 'v1.36.1'])
      await remove(api, uuid)
    })
  })
}
