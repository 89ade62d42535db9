import { afterEach, describe, expect, it } from 'vitest'
import type { ClusterTask } from '../../../../functions/core/cluster/cluster-task.ts'
import { capiV1 } from '../../../../functions/drivers/cluster/capi/v1/index.ts'
import { type CapiLab, openCapiLab } from '../../../support/capi/lab.ts'
import { ClusterLife } from '../../../support/drivers/cluster-life.ts'

const MACHINES = {
  group: 'cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'machines',
  namespace: 'fedplane-local',
}

describe('capi@1 and how many nodes are left by nodes to remove', () => {
  let lab: CapiLab
  afterEach(() => lab.close())

  const made = async (group: string, count: number): Promise<ClusterLife> => {
    lab = await openCapiLab()
    const life = new ClusterLife(capiV1, lab)
    await life.create()
    await life.resize(group, count)
    return life
  }

  /** All that a node is called by. */
  const namesOf = async (address: string): Promise<string[]> => {
    const { items } = await lab.site.admin.list(MACHINES)
    const found = items.find(({ status }) => JSON.stringify(status ?? {}).includes(`"${address}"`))
    const { name = '', uid = '' } = found?.metadata ?? {}
    return [address, name, uid]
  }

  const refusal = (life: ClusterLife, nodeCount: number, nodesToRemove: string[]): Promise<unknown> => {
    const { id: nodeGroupId } = life.group('default-master')
    const task: ClusterTask = { kind: 'resize', nodeGroupId, nodeCount, nodesToRemove }
    const nodeGroups = life.nodeGroups.map((group) => (group.id === nodeGroupId ? { ...group, nodeCount } : group))
    return Promise.resolve(capiV1.preview?.({ ...life.context(), nodeGroups, task })).catch((error: unknown) => error)
  }

  it('counts the names of one node once', async () => {
    const life = await made('default-worker', 5)
    const [first = ''] = life.group('default-worker').nodeAddresses
    const names = await namesOf(first)
    expect(names.every((name) => name !== '')).toBe(true)
    await life.resize('default-worker', 2, names)
    const { nodeAddresses } = life.group('default-worker')
    expect([nodeAddresses.length, nodeAddresses.includes(first)]).toEqual([2, false])
  })

  it('leaves an odd number of masters when one is named twice', async () => {
    const life = await made('default-master', 3)
    const [first = ''] = life.group('default-master').nodeAddresses
    expect(await refusal(life, 1, [first, first])).toBeUndefined()
    await life.resize('default-master', 1, [first, first])
    expect((await capiV1.observe(life.context())).masterCount).toBe(1)
  })

  it('refuses what would leave an even number of masters, before anything is written and when its turn comes', async () => {
    const life = await made('default-master', 3)
    const [first = '', second = ''] = life.group('default-master').nodeAddresses
    const message =
      'Node group default-master would have 2 masters instead of 1: of the nodes to remove "10.0.0.77" is gone already, and no other goes in its stead. Leave it out, so that an odd number is left and etcd keeps a majority.'
    expect(await refusal(life, 1, [first, '10.0.0.77'])).toMatchObject({ name: 'ChangeRefused', message })
    await expect(life.resize('default-master', 1, [first, '10.0.0.77'])).rejects.toMatchObject({
      name: 'ChangeImpossible',
      message,
    })
    expect((await capiV1.observe(life.context())).masterCount).toBe(3)
    expect(await refusal(life, 1, [first, second])).toBeUndefined()
    expect(await refusal(life, 3, [first, '10.0.0.77'])).toBeUndefined()
  })
})
