import { afterEach, describe, expect, it } from 'vitest'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

const DEPLOYMENTS = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'machinedeployments',
  namespace: 'fedplane-local',
}

/** Cluster API leaves the MachineDeployment of a group whose upgrade is deferred as it is, whatever its entry in the topology says. */
describe('capi@1 and a group that an upgrade has left behind', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const behind = async (): Promise<ClusterLife> => {
    lab = await openCapiLab()
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    await life.addGroup('gpu', { nodeCount: 3 })
    await life.upgrade(lab.making.newer)
    expect(life.group('gpu').version).toBe('v1.35.2')
    return life
  }

  const replicas = async (): Promise<unknown> => {
    const { items } = await lab.site.admin.list(DEPLOYMENTS)
    const found = items.find(({ metadata }) => metadata.name.includes('gpu'))
    return (found?.spec as { replicas?: number } | undefined)?.replicas
  }

  it('makes it smaller', async () => {
    const life = await behind()
    await life.resize('gpu', 1)
    expect(await replicas()).toBe(1)
    expect(life.group('gpu')).toMatchObject({ nodeCount: 1, version: 'v1.35.2' })
  })

  it('makes it as large as before when that is taken back', async () => {
    const life = await behind()
    const { id } = life.group('gpu')
    life.nodeGroups = life.nodeGroups.map((group) => (group.id === id ? { ...group, nodeCount: 2 } : group))
    await life.undo({ kind: 'resize', nodeGroupId: id, nodeCount: 2, nodesToRemove: [] })
    expect(await replicas()).toBe(3)
  })

  const labelled = (life: ClusterLife): void => {
    const { id } = life.group('gpu')
    const nodeLabels = { team: 'blue' }
    life.nodeGroups = life.nodeGroups.map((group) => (group.id === id ? { ...group, nodeLabels } : group))
  }

  const FAULT =
    'Node group gpu runs Kubernetes v1.35.2 and its control plane v1.36.1, so that nothing of it changes but its number of nodes; upgrade it first.'

  it('takes no other labels for its nodes before it is upgraded', async () => {
    const life = await behind()
    labelled(life)
    const task = { kind: 'node-group-update', nodeGroupId: life.group('gpu').id, nodeCount: null } as const
    const refused = capiV1.preview?.({ ...life.context(), task })
    await expect(refused).rejects.toMatchObject({ name: 'ChangeRefused', message: FAULT })
    await expect(life.updateGroup('gpu', null)).rejects.toMatchObject({ name: 'ChangeImpossible', message: FAULT })
    await life.upgrade(lab.making.newer, 'gpu')
    await life.updateGroup('gpu', null)
    expect(life.group('gpu').version).toBe('v1.36.1')
  })

  it('takes limits that move its count, and what changes nothing', async () => {
    const life = await behind()
    await life.updateGroup('gpu', null)
    await life.updateGroup('gpu', 2)
    expect(await replicas()).toBe(2)
  })

  it('takes it away', async () => {
    const life = await behind()
    await life.removeGroup('gpu')
    expect(await replicas()).toBeUndefined()
  })

  it('is done at once with a change that changes nothing, whatever an upgrade without hope has left', async () => {
    lab = await openCapiLab()
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    lab.capi.options.machineFate = () => ({ reason: 'NotReady', message: 'no valid host was found' })
    const { newer } = lab.making
    const { id: templateId, projectId: templateProjectId } = newer
    const upgrade = { kind: 'upgrade', templateId, templateProjectId, nodeGroupId: null, maxBatchSize: 1 } as const
    const begun = capiV1.phases.update.upgrade?.find(({ id }) => id === 'apply')
    await begun?.ensure({ ...life.context(), task: upgrade, template: async () => newer })
    for (const name of ['default-master', 'default-worker']) {
      await life.updateGroup(name, null)
      expect(life.group(name).version).toBe('v1.35.2')
    }
  })
})
