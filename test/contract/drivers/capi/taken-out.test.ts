import { afterEach, describe, expect, it } from 'vitest'
import type { NodeGroup } from '../../../../functions/core/cluster/node-group.ts'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { specOf } from '../../../../functions/drivers/cluster/capi/v1/render/topology.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

const CLUSTERS = { group: 'cluster.x-k8s.io', version: 'v1beta2', plural: 'clusters', namespace: 'fedplane-local' }

/** What a change only takes out of the Cluster leaves all else in it as it is wanted. */
describe('capi@1 and a change that only takes something away', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const changed = (life: ClusterLife, name: string, change: Partial<NodeGroup>): void => {
    life.nodeGroups = life.nodeGroups.map((group) => (group.name === name ? { ...group, ...change } : group))
  }

  const made = async (): Promise<ClusterLife> => {
    lab = await openCapiLab()
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    await life.addGroup('gpu', { nodeCount: 1, nodeTaints: [{ key: 'gpu', effect: 'NoSchedule' }] })
    return life
  }

  const written = async (): Promise<string> => {
    const { items } = await lab.site.admin.list(CLUSTERS)
    return JSON.stringify(items.map((object) => specOf(object).topology.workers))
  }

  it('takes the last taint off the nodes of a group', async () => {
    const life = await made()
    expect(await written()).toContain('taints')
    changed(life, 'gpu', { nodeTaints: [] })
    await life.updateGroup('gpu', null)
    expect(await written()).not.toContain('taints')
  })

  it('puts that back when it is taken back', async () => {
    const life = await made()
    const before = await written()
    changed(life, 'gpu', { nodeTaints: [] })
    await life.updateGroup('gpu', null)
    changed(life, 'gpu', { nodeTaints: [{ key: 'gpu', effect: 'NoSchedule' }] })
    await life.updateGroup('gpu', null)
    expect(await written()).toBe(before)
  })

  it('refuses it for a group that an upgrade has left behind', async () => {
    const life = await made()
    await life.upgrade(lab.making.newer)
    changed(life, 'gpu', { nodeTaints: [] })
    await expect(life.updateGroup('gpu', null)).rejects.toMatchObject({ name: 'ChangeImpossible' })
  })

  it('upgrades a group of which nothing but its version is another', async () => {
    const life = await made()
    await life.upgrade(lab.making.template, 'gpu')
    await life.upgrade(lab.making.newer)
    expect(life.group('gpu').version).toBe('v1.35.2')
    await life.upgrade(lab.making.newer, 'gpu')
    expect(life.group('gpu').version).toBe('v1.36.1')
  })
})
