import { afterAll, beforeAll, expect, it } from 'vitest'
import type { NodeGroupChange } from '../../../functions/core/cluster/node-group.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, type MakeSubject, outcomes, stored } from '../../support/store/contract-subject.ts'
import { sampleCluster, sampleId, sampleNodeGroup } from '../../support/store/samples.ts'

/** What every implementation of `NodeGroupStore` does. */
export const nodeGroupStoreContract = (make: MakeSubject): void => {
  let subject: ContractSubject
  let stores: Stores
  beforeAll(async () => {
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject.dispose())

  const inserted = async (changes: Parameters<typeof sampleNodeGroup>[0] = {}) => {
    const group = sampleNodeGroup(changes)
    await stores.commit([stores.nodeGroups.insert(group)])
    return group
  }

  it('gives back what was stored, in every attribute, under its project and cluster only', async () => {
    const group = await inserted()
    expect(await stores.nodeGroups.get(group)).toEqual(group)
    for (const other of [{ projectId: 'green' }, { clusterId: sampleId() }, { id: sampleId() }]) {
      expect(await stores.nodeGroups.get({ ...group, ...other })).toBeUndefined()
    }
  })

  it('inserts a group once', async () => {
    const group = sampleNodeGroup()
    const inserts = Array.from({ length: 10 }, () => stores.commit([stores.nodeGroups.insert(group)]))
    expect(await outcomes(inserts)).toEqual({ done: 1, errors: Array(9).fill('AlreadyExists') })
  })

  it('lists the groups of one cluster in order of creation', async () => {
    const cluster = sampleCluster()
    const groups = [1, 2, 3].map((number) => sampleNodeGroup({ clusterId: cluster.id, number }))
    for (const group of [...groups].reverse()) await stores.commit([stores.nodeGroups.insert(group)])
    await inserted()
    expect(await stores.nodeGroups.listOf(cluster)).toEqual(groups)
    expect(await stores.nodeGroups.listOf({ ...cluster, projectId: 'green' })).toEqual([])
  })

  it('sets every field that may change, and adds 1 to the revision', async () => {
    const group = await inserted()
    const fields: NodeGroupChange = {
      nodeCount: 5,
      reachedCount: 4,
      minNodeCount: 1,
      maxNodeCount: 9,
      flavorId: null,
      imageId: null,
      labels: {},
      nodeLabels: {},
      nodeTaints: [],
      nodeAddresses: [],
      status: 'UPDATE_FAILED',
      statusReason: 'No machine is free.',
      version: null,
      updatedAt: '2026-11-27T12:00:00.000Z',
    }
    await stores.commit([stores.nodeGroups.change(group, fields)])
    expect(await stores.nodeGroups.get(group)).toEqual({ ...group, ...fields, revision: 2 })
    await stores.commit([stores.nodeGroups.change({ ...group, revision: 2 }, { nodeCount: 6 })])
    expect(await stores.nodeGroups.get(group)).toEqual({ ...group, ...fields, nodeCount: 6, revision: 3 })
  })

  it('lets exactly one of 20 writers of one revision win', async () => {
    const group = await inserted()
    const writers = Array.from({ length: 20 }, (_, nodeCount) =>
      stores.commit([stores.nodeGroups.change(group, { nodeCount })]),
    )
    expect(await outcomes(writers)).toEqual({ done: 1, errors: Array(19).fill('RevisionConflict') })
  })

  it('removes a group as it was read, and refuses to change one that is gone', async () => {
    const group = await inserted()
    const stale = stores.commit([stores.nodeGroups.remove({ ...group, revision: 7 })])
    await expect(stale).rejects.toMatchObject({ name: 'RevisionConflict' })
    await stores.commit([stores.nodeGroups.remove(group)])
    expect(await stores.nodeGroups.get(group)).toBeUndefined()
    const late = stores.commit([stores.nodeGroups.change(group, { nodeCount: 1 })])
    await expect(late).rejects.toMatchObject({ name: 'RevisionConflict' })
  })

  it('changes with its cluster or not at all', async () => {
    const cluster = sampleCluster()
    const group = sampleNodeGroup({ clusterId: cluster.id })
    await stores.commit([stores.clusters.insert(cluster), stores.nodeGroups.insert(group)])
    const nodes = { nodeCount: 7, masterCount: 1, nodeAddresses: ['10.0.0.5'], masterAddresses: [] }
    const resize = (revision: number) =>
      stores.commit([
        stores.clusters.change(cluster, { nodes }),
        stores.nodeGroups.change({ ...group, revision }, { nodeCount: 7 }),
      ])
    await expect(resize(9)).rejects.toMatchObject({ name: 'RevisionConflict' })
    expect(await stores.clusters.get(cluster)).toEqual(stored(cluster))
    await resize(1)
    expect(await stores.clusters.get(cluster)).toMatchObject({ nodes, revision: 2 })
    expect(await stores.nodeGroups.get(group)).toMatchObject({ nodeCount: 7, revision: 2 })
  })
}
