import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { className, managementObjects } from '../../../../functions/drivers/cluster/capi/v1/render/class-objects.ts'
import { withClassInProject } from '../../../support/capi/class-in-project.ts'
import { type ClusterLab, ClusterLife } from '../../../support/drivers/cluster-life.ts'
import { CORE, type Management } from '../support/management.ts'
import { openRealLab } from '../support/real-lab.ts'

const NAMESPACE = 'fedplane-local'

/** Clusters of versions of fedplane whose classes were in each project's namespace. */
export const describeOwnClass = (
  world: () => { management: Management; bare: Parameters<typeof openRealLab>[1] },
): void => {
  describe.concurrent('a cluster of capi@1 with a class in its own namespace', () => {
    let lab: ClusterLab & { close(): Promise<void> }
    let life: ClusterLife

    beforeAll(async () => {
      const { management, bare } = world()
      lab = await openRealLab(management.cluster, bare)
    })
    afterAll(() => lab?.close())

    const classRef = async (): Promise<unknown> => {
      const { cluster: name } = life.cluster.driverState['capi-names'] as { cluster: string }
      const object = await world().management.admin.get({ ...CORE, plural: 'clusters', namespace: NAMESPACE }, name)
      return (object?.spec as { topology: { classRef: unknown } } | undefined)?.topology.classRef
    }

    it('keeps it until it is upgraded, and goes to the one for all then', async () => {
      const { admin } = world().management
      const { create } = capiV1.phases
      life = new ClusterLife({ ...capiV1, phases: { ...capiV1.phases, create: create.slice(0, 1) } }, lab)
      await life.create()
      for (const { resource, object } of managementObjects('dev', NAMESPACE)) await admin.create(resource, object)
      const old = new ClusterLife(capiV1, withClassInProject(lab))
      old.cluster = life.cluster
      await old.create()

      life = new ClusterLife(capiV1, lab)
      life.cluster = old.cluster
      life.nodeGroups = old.nodeGroups
      await life.resize('default-worker', 2)
      expect(await classRef()).toEqual({ name: className('dev') })

      if (lab.making?.newer === undefined) throw new Error('the lab has no newer template')
      await life.upgrade(lab.making.newer)
      expect(await classRef()).toEqual({ name: className('dev'), namespace: 'fedplane' })
      expect(life.cluster.observation).toMatchObject({ version: 'v1.36.1', healthStatus: 'HEALTHY' })
      await life.delete()
    })
  })
}
