import { afterEach, describe, expect, it } from 'vitest'
import { type ClusterTask, nodeGroupOf } from '../../../../functions/core/cluster/cluster-task.ts'
import type { ClusterTemplate } from '../../../../functions/core/cluster/cluster-template.ts'
import { isMaster, type NodeGroup } from '../../../../functions/core/cluster/node-group.ts'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import { type MachineSpec, specOf } from '../../../support/capi/objects.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'
import { nodeGroupEntity } from '../../../support/drivers/cluster-samples.ts'

const DEPLOYMENT_NAME = 'topology.cluster.x-k8s.io/deployment-name'

/** Stands in the template of machines that never come up. */
const BROKEN = '3599s'

/** Decision 0025: what an upgrade has left that failed, another one repairs. */
describe('capi@1 after an upgrade whose machines never come up', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const template = (kube_tag: string, dev_startup_seconds: string): ClusterTemplate => ({
    ...lab.making.newer,
    spec: { ...lab.making.newer.spec, labels: { kube_tag, dev_startup_seconds } },
  })

  const phaseOf = (id: string) => capiV1.phases.update.upgrade?.find((phase) => phase.id === id)

  const asked = (life: ClusterLife, wanted: ClusterTemplate) => ({
    ...life.context(),
    task: {
      kind: 'upgrade',
      templateId: wanted.id,
      templateProjectId: wanted.projectId,
      nodeGroupId: null,
      maxBatchSize: 1,
    } as const,
    template: async () => wanted,
  })

  type Fate = NonNullable<CapiLab['capi']['options']['machineFate']>
  const NO_HOST = { reason: 'NotReady', message: 'no valid host was found' }

  /** An upgrade that is not over. @param before what is done before it */
  const begun = async (fate: Fate, waitingFor: RegExp, before?: (life: ClusterLife) => Promise<void>) => {
    lab = await openCapiLab()
    lab.capi.options.machineFate = fate
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    await before?.(life)
    const context = asked(life, template('v1.36.1', '3599'))
    await capiV1.preview?.(context)
    await phaseOf('apply')?.ensure(context)
    await expect
      .poll(async () => (await phaseOf('settle')?.ensure(context))?.waitingFor, { timeout: 10_000 })
      .toMatch(waitingFor)
    return life
  }

  const masters: Fate = (machine) =>
    (specOf<MachineSpec>(machine).machineTemplate ?? '').includes(BROKEN) ? NO_HOST : 'up'

  const stuck = (before?: (life: ClusterLife) => Promise<void>): Promise<ClusterLife> =>
    begun(masters, /default-master/, before)

  it('is upgraded to another template of the same version, whose machines take their place', async () => {
    const life = await stuck()
    const repaired = template('v1.36.1', '1')
    await expect(capiV1.preview?.(asked(life, repaired))).resolves.toBeUndefined()
    await life.upgrade(repaired)
    expect(life.nodeGroups.map(({ version }) => version)).toEqual(['v1.36.1', 'v1.36.1'])
    expect((await capiV1.observe(life.context())).healthStatus).toBe('HEALTHY')
  })

  it('goes back to no older version, which is said at once', async () => {
    const life = await stuck()
    await expect(capiV1.preview?.(asked(life, template('v1.35.2', '1')))).rejects.toMatchObject({
      name: 'ChangeRefused',
      message: expect.stringMatching(/its control plane is on its way to v1\.36\.1 .*kube_tag=v1\.36\.1/),
    })
  })

  const HALFWAY =
    "Cluster paris can't be changed so now: its control plane is on its way to v1.36.1 since an upgrade that failed, and before it is there no nodes are made or changed. Upgrade the cluster again first, to a cluster template with the label kube_tag=v1.36.1; until then node groups can be deleted, and those of workers made smaller."

  const refusal = (life: ClusterLife, task: ClusterTask, change: Partial<NodeGroup> = {}): Promise<unknown> => {
    const nodeGroups = life.nodeGroups.map((group) =>
      group.id === nodeGroupOf(task) ? { ...group, ...change } : group,
    )
    return Promise.resolve(capiV1.preview?.({ ...life.context(), nodeGroups, task })).catch((error: unknown) => error)
  }

  const resize = (life: ClusterLife, name: string, nodeCount: number): Promise<unknown> =>
    refusal(life, { kind: 'resize', nodeGroupId: life.group(name).id, nodeCount, nodesToRemove: [] }, { nodeCount })

  const halfway = async (): Promise<ClusterLife> => {
    const life = await stuck(async (before) => {
      await before.resize('default-worker', 3)
      await before.addGroup('extra', { nodeCount: 2 })
    })
    life.cluster = { ...life.cluster, name: 'paris' }
    return life
  }

  it('refuses at once what needs nodes that are not made before it is repaired', async () => {
    const life = await halfway()
    const refused = { name: 'ChangeRefused', message: HALFWAY }
    const { id: nodeGroupId } = life.group('extra')
    const late = nodeGroupEntity('late', { clusterId: life.cluster.id, number: 4 })
    for (const [name, nodeCount] of [
      ['default-master', 3],
      ['default-master', 1],
      ['default-worker', 4],
      ['extra', 3],
    ] as const) {
      expect(await resize(life, name, nodeCount), `${name} ${nodeCount}`).toMatchObject(refused)
    }
    const { id: templateId, projectId: templateProjectId } = lab.making.newer
    const upgrade = { kind: 'upgrade', templateId, templateProjectId, nodeGroupId, maxBatchSize: 1 } as const
    expect(await refusal(life, upgrade)).toMatchObject(refused)
    const update = { kind: 'node-group-update', nodeGroupId, nodeCount: null } as const
    expect(await refusal(life, update, { nodeLabels: { team: 'blue' } })).toMatchObject(refused)
    expect(await refusal(life, update)).toBeUndefined()
    life.nodeGroups = [...life.nodeGroups, late]
    expect(await refusal(life, { kind: 'node-group-create', nodeGroupId: late.id })).toMatchObject(refused)
  })

  it('refuses it also when its turn comes', async () => {
    const life = await halfway()
    const refused = { name: 'ChangeImpossible', message: HALFWAY }
    await expect(life.resize('extra', 3)).rejects.toMatchObject(refused)
    await expect(life.addGroup('late')).rejects.toMatchObject(refused)
  })

  it('makes groups of workers smaller, and takes them away', async () => {
    const life = await halfway()
    expect(await resize(life, 'default-worker', 2)).toBeUndefined()
    await life.resize('default-worker', 2)
    await life.resize('extra', 1)
    await life.updateGroup('extra', 0)
    expect(life.nodeGroups.map(({ nodeAddresses }) => nodeAddresses.length)).toEqual([1, 2, 0])
    await life.removeGroup('extra')
    await life.upgrade(template('v1.36.1', '1'))
    expect(life.nodeGroups.map(({ version, nodeCount }) => [version, nodeCount])).toEqual([
      ['v1.36.1', 1],
      ['v1.36.1', 2],
    ])
  })

  const workers: Fate = (machine) =>
    machine.metadata.labels?.[DEPLOYMENT_NAME]?.startsWith('default-worker') &&
    specOf<MachineSpec>(machine).version === 'v1.36.1'
      ? NO_HOST
      : 'up'

  it('refuses of a group what needs its machines that do not come up, and does all else', async () => {
    const life = await begun(workers, /default-worker/, (before) => before.addGroup('extra', { nodeCount: 2 }))
    life.nodeGroups = life.nodeGroups.map((group) =>
      group.isDefault
        ? { ...group, failedTask: 'upgrade', version: isMaster(group) ? 'v1.36.1' : group.version }
        : group,
    )
    for (const nodeCount of [1, 2]) {
      expect(await resize(life, 'default-worker', nodeCount)).toMatchObject({
        name: 'ChangeRefused',
        message:
          "Node group default-worker can't be changed so now: its upgrade failed, and machines of it do not come up. Upgrade the cluster again first, to a cluster template with the label kube_tag=v1.36.1 whose machines come up, or resize it to 0.",
      })
    }
    await life.resize('extra', 1)
    await life.addGroup('late', { nodeCount: 1 })
    await life.resize('late', 2)
    await life.resize('default-worker', 0)
    expect((await capiV1.observe(life.context())).nodeCount).toBe(3)
  })
})
