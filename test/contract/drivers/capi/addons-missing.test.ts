import { afterEach, describe, expect, it } from 'vitest'
import type { ClusterTask } from '../../../../functions/domain/cluster-task.ts'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { type CapiLab, managementAccess, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

/** The operator has taken an addon out of the namespace of addons. */
describe('capi@1 and an addon that is no longer kept', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const made = async (): Promise<ClusterLife> => {
    lab = await openCapiLab({ infrastructure: 'openstack' })
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    lab.management.access = managementAccess(lab.site, { infrastructure: 'openstack', addons_namespace: 'addons' })
    return life
  }

  const asked = (life: ClusterLife, task: ClusterTask) => capiV1.preview?.({ ...life.context(), task })

  it('lets a cluster be resized, and refuses an upgrade, which brings addons', async () => {
    const life = await made()
    const { id: nodeGroupId } = life.group('default-worker')
    await expect(asked(life, { kind: 'resize', nodeGroupId, nodeCount: 2, nodesToRemove: [] })).resolves.toBeUndefined()
    const { id: templateId, projectId: templateProjectId } = lab.making.newer
    const upgrade = { kind: 'upgrade', templateId, templateProjectId, nodeGroupId: null, maxBatchSize: 1 } as const
    await expect(asked(life, upgrade)).rejects.toMatchObject({
      name: 'ChangeRefused',
      message: expect.stringContaining('calico'),
    })
  })
})
