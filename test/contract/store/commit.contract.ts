import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bytesMaxOf } from '../../../functions/core/values/attribute-sizes.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, type MakeSubject, outcomes } from '../../support/store/contract-subject.ts'
import {
  sampleCluster,
  sampleEvent,
  sampleFederation,
  sampleId,
  sampleJoining,
  sampleNodeGroup,
} from '../../support/store/samples.ts'

/** What every implementation of `Commit` does. */
export const commitContract = (make: MakeSubject): void => {
  let subject: ContractSubject
  let stores: Stores
  beforeAll(async () => {
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject.dispose())

  describe('commit', () => {
    it('of nothing does nothing', async () => {
      await stores.commit([])
    })

    it('carries out all writes or none', async () => {
      const used = sampleCluster()
      const deleting = sampleCluster({ status: 'DELETE_IN_PROGRESS' })
      await stores.commit([stores.clusters.insert(used), stores.clusters.insert(deleting)])
      const federation = sampleFederation()
      const join = (cluster: typeof used) =>
        stores.commit([
          stores.federations.insert(federation),
          stores.memberships.insert(sampleJoining({ federationId: federation.id, clusterId: cluster.id })),
          stores.clusters.addUses(used, [`member:${federation.id}`]),
          ...(cluster === used ? [] : [stores.clusters.addUses(cluster, [`member:${federation.id}`])]),
          stores.events.append(sampleEvent({ owner: { kind: 'federation', id: federation.id } })),
        ])
      await expect(join(deleting)).rejects.toMatchObject({ name: 'ClusterNotUsable' })
      expect(await stores.federations.get(federation)).toBeUndefined()
      expect(await stores.federations.findByName('blue', federation.name)).toEqual([])
      expect(await stores.memberships.listOf(federation)).toEqual([])
      expect((await stores.clusters.get(used))?.uses).toEqual([])
      await join(used)
      expect((await stores.clusters.get(used))?.uses).toEqual([`member:${federation.id}`])
      expect(await stores.memberships.listOf(federation)).toHaveLength(1)
      expect(await stores.memberships.federationsOf(used)).toEqual([federation.id])
      expect(await stores.memberships.federationsOf({ projectId: 'green', id: used.id })).toEqual([])
    })

    it('throws the error of the first write whose condition failed', async () => {
      const cluster = sampleCluster({ status: 'CREATE_IN_PROGRESS' })
      const federation = sampleFederation()
      await stores.commit([stores.clusters.insert(cluster), stores.federations.insert(federation)])
      const stale = stores.federations.change({ ...federation, revision: 7 }, { statusReason: 'x' })
      const unusable = stores.clusters.addUses(cluster, ['host:f1'])
      await expect(stores.commit([stale, unusable])).rejects.toMatchObject({ name: 'RevisionConflict' })
      await expect(stores.commit([unusable, stale])).rejects.toMatchObject({ name: 'ClusterNotUsable' })
    })

    it('leaves out what is no error, and carries out the rest', async () => {
      const gone = { projectId: 'blue', id: sampleId() }
      const membership = sampleJoining()
      const uid = sampleId()
      await stores.commit([stores.memberships.insert(membership), stores.clusters.claimUid('blue', uid, 'owner')])
      await stores.commit([
        stores.clusters.removeUses(gone, ['host:f1']),
        stores.memberships.remove(membership),
        stores.federations.removeMemberId(gone, 'c1'),
        stores.clusters.releaseUid('blue', uid, 'somebody else'),
      ])
      expect(await stores.memberships.get(membership)).toBeUndefined()
      expect(await stores.clusters.get(gone)).toBeUndefined()
      expect(await stores.federations.get(gone)).toBeUndefined()
    })

    it('does what is left also when that is a single write or nothing', async () => {
      const gone = { projectId: 'blue', id: sampleId() }
      await stores.commit([stores.clusters.removeUses(gone, ['host:f1'])])
      await stores.commit([
        stores.clusters.removeUses(gone, ['host:f1']),
        stores.federations.removeMemberId(gone, 'c1'),
      ])
    })

    it('refuses, when something is left out, for the reason of the others', async () => {
      const gone = { projectId: 'blue', id: sampleId() }
      const writes = [stores.clusters.removeUses(gone, ['host:f1']), stores.memberships.remove(sampleJoining())]
      await expect(stores.commit(writes)).rejects.toMatchObject({ name: 'RevisionConflict' })
    })

    it('refuses two writes on one item, and more than 100', async () => {
      const cluster = sampleCluster()
      const twice = [stores.clusters.addUses(cluster, ['host:f1']), stores.clusters.addUses(cluster, ['host:f2'])]
      await expect(stores.commit(twice)).rejects.toMatchObject({ name: 'InvalidCommit' })
      const many = Array.from({ length: 101 }, () => stores.events.append(sampleEvent()))
      await expect(stores.commit(many)).rejects.toMatchObject({ name: 'InvalidCommit' })
      await stores.commit(many.slice(1))
    })

    it.each<[string, number, number]>([
      ['an item of more than 400 KB', 1, 410_000],
      ['such an item among others', 2, 410_000],
      ['items of more than 4 MB together', 45, 100_000],
    ])('refuses %s by a name of its own, and stores nothing', async (_, count, length) => {
      const groups = Array.from({ length: count }, () => sampleNodeGroup({ labels: { a: 'x'.repeat(length) } }))
      const [first] = groups
      await expect(stores.commit(groups.map(stores.nodeGroups.insert))).rejects.toMatchObject({
        name: 'ItemTooLarge',
        kind: 'too-large',
        retryable: false,
      })
      expect(first && (await stores.nodeGroups.get(first))).toBeUndefined()
    })

    it('refuses a change that makes an item too large', async () => {
      const group = sampleNodeGroup({ labels: { a: 'x'.repeat(400_000) } })
      await stores.commit([stores.nodeGroups.insert(group)])
      const grown = stores.nodeGroups.change(group, { nodeLabels: { b: 'x'.repeat(20_000) } })
      await expect(stores.commit([grown])).rejects.toMatchObject({ name: 'ItemTooLarge' })
      await expect(stores.commit([grown, stores.events.append(sampleEvent())])).rejects.toMatchObject({
        name: 'ItemTooLarge',
      })
    })

    it('takes a cluster with 98 node groups, all as large as they may be', async () => {
      const full = (key: string, bytes: number) => ({ [key]: 'x'.repeat(bytes) })
      const nodeTaints = [{ key: 'x'.repeat(8000), effect: 'NoSchedule' as const }]
      const labels = full('a', bytesMaxOf('labels'))
      const nodeLabels = full('b', bytesMaxOf('node_labels'))
      const groups = Array.from({ length: 98 }, () =>
        sampleNodeGroup({ labels, nodeLabels, nodeTaints, statusReason: 'x'.repeat(2000) }),
      )
      const cluster = sampleCluster({ driverState: full('c', 390_000) })
      await stores.commit([stores.clusters.insert(cluster), ...groups.map(stores.nodeGroups.insert)])
    })

    it('takes the 45 membership changes of one request with their federation', async () => {
      const federation = sampleFederation()
      const clusters = Array.from({ length: 45 }, () => sampleCluster())
      await stores.commit([stores.federations.insert(federation), ...clusters.map(stores.clusters.insert)])
      const ids = clusters.map(({ id }) => id)
      await stores.commit([
        stores.federations.change(federation, { status: 'UPDATE_IN_PROGRESS' }, { add: ids }),
        ...ids.map((clusterId) => stores.memberships.insert(sampleJoining({ federationId: federation.id, clusterId }))),
        ...clusters.map((cluster) => stores.clusters.addUses(cluster, [`member:${federation.id}`])),
        stores.events.append(sampleEvent()),
      ])
      expect((await stores.federations.get(federation))?.memberIds).toEqual([...ids].sort())
      expect(await stores.memberships.listOf(federation)).toHaveLength(45)
    })

    it('lets one of 20 transactions on one federation win, and nothing of the others stays', async () => {
      const federation = sampleFederation()
      await stores.commit([stores.federations.insert(federation)])
      const joins = Array.from({ length: 20 }, () => {
        const membership = sampleJoining({ federationId: federation.id })
        return stores.commit([
          stores.federations.change(federation, {}, { add: [membership.clusterId] }),
          stores.memberships.insert(membership),
        ])
      })
      expect(await outcomes(joins)).toEqual({ done: 1, errors: Array(19).fill('RevisionConflict') })
      const [membership, ...others] = await stores.memberships.listOf(federation)
      expect(others).toEqual([])
      expect((await stores.federations.get(federation))?.memberIds).toEqual([membership?.clusterId])
    })
  })
}
