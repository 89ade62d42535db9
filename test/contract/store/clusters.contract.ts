import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClusterObservation } from '../../../functions/core/cluster/cluster.ts'
import type { ClusterTask } from '../../../functions/core/cluster/cluster-task.ts'
import type { Status } from '../../../functions/core/values/status.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, type MakeSubject, outcomes, stored } from '../../support/store/contract-subject.ts'
import { sampleCluster, sampleEvent, sampleId, sampleOperation } from '../../support/store/samples.ts'

const seen = (observedAt: string, version = 'v1.36.0'): ClusterObservation => ({
  observedAt,
  healthStatus: 'HEALTHY',
  healthReason: { api: 'ok' },
  version,
  nodeCount: 3,
  masterCount: 1,
})

/** What every implementation of `ClusterStore` does. */
export const clusterStoreContract = (make: MakeSubject): void => {
  let subject: ContractSubject
  let stores: Stores
  beforeAll(async () => {
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject.dispose())

  const inserted = async (changes: Parameters<typeof sampleCluster>[0] = {}) => {
    const cluster = sampleCluster(changes)
    await stores.commit([stores.clusters.insert(cluster)])
    return cluster
  }
  const reread = async (key: { projectId: string; id: string }) => {
    const cluster = await stores.clusters.get(key)
    if (cluster === undefined) throw new Error('the cluster is gone')
    return cluster
  }

  describe('get and insert', () => {
    it('gives back what was stored, in every attribute', async () => {
      const cluster = await inserted({
        operation: sampleOperation('create'),
        observation: seen('2026-11-27T10:00:00.000Z'),
        uses: ['host:f1', 'member:f2'],
      })
      expect(await stores.clusters.get(cluster)).toEqual(stored(cluster))
    })

    it.each<ClusterTask>([
      { kind: 'credential' },
      { kind: 'resize', nodeGroupId: 'g1', nodeCount: 3, nodesToRemove: ['n1', 'n2'] },
      { kind: 'node-group-create', nodeGroupId: 'g1' },
      { kind: 'node-group-update', nodeGroupId: 'g1', nodeCount: null },
      { kind: 'node-group-update', nodeGroupId: 'g1', nodeCount: 0 },
      { kind: 'node-group-delete', nodeGroupId: 'g1' },
      { kind: 'upgrade', templateId: 't1', templateProjectId: 'green', nodeGroupId: null, maxBatchSize: 1 },
      { kind: 'rotate-authority' },
      { kind: 'rotate-credential' },
    ])('gives back a task that runs, and those that wait: %j', async (task) => {
      const requestedAt = '2026-11-27T10:00:00.000Z'
      const cluster = await inserted({ task, queue: [1, 2].map(() => ({ id: sampleId(), task, requestedAt })) })
      expect(await stores.clusters.get(cluster)).toEqual(stored(cluster))
    })

    it('finds nothing in another project', async () => {
      const { id } = await inserted()
      expect(await stores.clusters.get({ projectId: 'green', id })).toBeUndefined()
      expect(await stores.clusters.getMany('green', [id])).toEqual([])
    })

    it('refuses a second cluster with the same id', async () => {
      const cluster = await inserted()
      await expect(stores.commit([stores.clusters.insert(cluster)])).rejects.toMatchObject({ name: 'AlreadyExists' })
    })

    it('keeps names of the longest form and with every character that Magnum allows', async () => {
      const name = `a_.-${'z'.repeat(238)}`
      const cluster = await inserted({ name })
      expect(await stores.clusters.findByName('blue', name)).toEqual([cluster.id])
    })
  })

  describe('getMany', () => {
    it('reads more than one batch, leaves out absent ones, and takes an id given twice once', async () => {
      const projectId = sampleId()
      const clusters = Array.from({ length: 120 }, () => sampleCluster({ projectId }))
      for (const part of [0, 40, 80]) {
        await stores.commit(clusters.slice(part, part + 40).map(stores.clusters.insert))
      }
      const ids = clusters.map(({ id }) => id)
      const found = await stores.clusters.getMany(projectId, [...ids, ids[0]!, sampleId()])
      expect(found.map(({ id }) => id).sort()).toEqual(ids.sort())
      expect(await stores.clusters.getMany(projectId, [])).toEqual([])
    })
  })

  describe('list', () => {
    it('pages in order of creation, and says when there is more', async () => {
      const projectId = sampleId()
      const ids: string[] = []
      for (let index = 0; index < 5; index++) ids.push((await inserted({ projectId })).id)
      const first = await stores.clusters.list(projectId, { limit: 2 })
      expect([first.items.map(({ id }) => id), first.more]).toEqual([ids.slice(0, 2), true])
      const second = await stores.clusters.list(projectId, { limit: 3, marker: ids[1]! })
      expect([second.items.map(({ id }) => id), second.more]).toEqual([ids.slice(2), false])
      const third = await stores.clusters.list(projectId, { limit: 3, marker: ids[4]! })
      expect(third).toEqual({ items: [], more: false })
    })

    it('goes on after a marker that was removed meanwhile', async () => {
      const projectId = sampleId()
      const first = await inserted({ projectId })
      const second = await inserted({ projectId })
      await stores.commit([stores.clusters.remove(first)])
      const page = await stores.clusters.list(projectId, { limit: 10, marker: first.id })
      expect(page.items).toEqual([stored(second)])
    })

    it('cuts a page at 5 MB and goes on from there without loss', async () => {
      const projectId = sampleId()
      const driverState = { blob: 'x'.repeat(350_000) }
      for (let index = 0; index < 16; index++) await inserted({ projectId, driverState })
      const first = await stores.clusters.list(projectId, { limit: 100 })
      expect(first.items.length).toBe(14)
      expect(first.more).toBe(true)
      const rest = await stores.clusters.list(projectId, { limit: 100, marker: first.items.at(-1)!.id })
      expect([rest.items.length, rest.more]).toEqual([2, false])
    })
  })

  describe('change', () => {
    it('sets just the given fields, and adds 1 to the revision', async () => {
      const cluster = await inserted({ operation: sampleOperation('create'), statusReason: 'busy' })
      await stores.commit([stores.clusters.change(cluster, { status: 'UPDATE_COMPLETE', operation: null })])
      const changed = await stores.clusters.get(cluster)
      expect(changed).toEqual(stored({ ...cluster, status: 'UPDATE_COMPLETE', operation: null, revision: 2 }))
    })

    it('sets every field that may change', async () => {
      const cluster = await inserted()
      const fields = {
        name: 'other',
        status: 'DELETE_FAILED' as const,
        statusReason: null,
        operation: sampleOperation('delete'),
        task: { kind: 'rotate-authority' as const },
        queue: [{ id: sampleId(), task: { kind: 'credential' as const }, requestedAt: '2026-11-27T11:00:00.000Z' }],
        nodes: { nodeCount: 2, masterCount: 1, nodeAddresses: ['10.0.0.2'], masterAddresses: [] },
        conditions: [],
        endpoint: null,
        identity: null,
        magnum: { ...cluster.magnum, labels: {} },
        driverState: {},
        updatedAt: '2026-11-27T12:00:00.000Z',
      }
      const read = await stores.clusters.get(cluster)
      await stores.commit([stores.clusters.change(read!, fields)])
      expect(await stores.clusters.get(cluster)).toEqual(stored({ ...cluster, ...fields, revision: 2 }))
    })

    it('lets exactly one of 20 writers of one revision win', async () => {
      const cluster = await inserted()
      const changes = Array.from({ length: 20 }, (_, index) =>
        stores.commit([stores.clusters.change(cluster, { statusReason: `writer ${index}` })]),
      )
      const { done, errors } = await outcomes(changes)
      expect([done, errors]).toEqual([1, Array(19).fill('RevisionConflict')])
      expect((await reread(cluster)).revision).toBe(2)
    })

    it('refuses a cluster that is gone', async () => {
      const cluster = await inserted()
      await stores.commit([stores.clusters.remove(cluster)])
      const change = stores.commit([stores.clusters.change(cluster, { statusReason: 'late' })])
      await expect(change).rejects.toMatchObject({ name: 'RevisionConflict' })
      expect(await stores.clusters.get(cluster)).toBeUndefined()
    })

    it('tells a cluster in use from one that changed', async () => {
      const cluster = await inserted()
      await stores.commit([stores.clusters.addUses(cluster, ['host:f1', 'member:f2'])])
      const deletion = () =>
        stores.commit([stores.clusters.change(cluster, { status: 'DELETE_IN_PROGRESS' }, { unlessUsed: true })])
      await expect(deletion()).rejects.toMatchObject({ name: 'ClusterInUse', details: { federations: ['f1', 'f2'] } })
      await stores.commit([stores.clusters.change(cluster, { statusReason: 'another writer' })])
      await expect(deletion()).rejects.toMatchObject({ name: 'RevisionConflict' })
    })

    it('with unlessUsed goes through when all uses are gone', async () => {
      const cluster = await inserted()
      await stores.commit([stores.clusters.addUses(cluster, ['host:f1'])])
      await stores.commit([stores.clusters.removeUses(cluster, ['host:f1'])])
      await stores.commit([stores.clusters.change(cluster, { status: 'DELETE_IN_PROGRESS' }, { unlessUsed: true })])
      expect((await reread(cluster)).status).toBe('DELETE_IN_PROGRESS')
    })

    it('with lastUse takes the only use away, and goes through for no other', async () => {
      const cluster = await inserted()
      await stores.commit([stores.clusters.addUses(cluster, ['host:f1', 'member:f2'])])
      const deletion = () =>
        stores.commit([stores.clusters.change(cluster, { status: 'DELETE_IN_PROGRESS' }, { lastUse: 'host:f1' })])
      await expect(deletion()).rejects.toMatchObject({ name: 'RevisionConflict' })
      await stores.commit([stores.clusters.removeUses(cluster, ['member:f2'])])
      await deletion()
      expect(await reread(cluster)).toMatchObject({ status: 'DELETE_IN_PROGRESS', uses: [] })
    })
  })

  describe('names', () => {
    it('are not unique, and are found oldest first', async () => {
      const projectId = sampleId()
      const first = await inserted({ projectId, name: 'twin' })
      const second = await inserted({ projectId, name: 'twin' })
      await inserted({ projectId, name: 'twin-2' })
      expect(await stores.clusters.findByName(projectId, 'twin')).toEqual([first.id, second.id])
    })

    it('finds exactly this name: case counts, and no character stands for others', async () => {
      const { projectId } = sampleCluster({ name: 'a' })
      const named = (name: string) => sampleCluster({ projectId, name })
      const [wanted, ...others] = ['a_1', 'A_1', 'ab1', 'a_10', 'a%'].map(named)
      for (const cluster of [wanted!, ...others]) await stores.commit([stores.clusters.insert(cluster)])
      expect(await stores.clusters.findByName(projectId, 'a_1')).toEqual([wanted!.id])
      expect(await stores.clusters.findByName(projectId, 'a%')).toEqual([others.at(-1)!.id])
    })

    it('follow a change and a removal', async () => {
      const projectId = sampleId()
      const cluster = await inserted({ projectId, name: 'before' })
      await stores.commit([stores.clusters.change(cluster, { name: 'after' })])
      expect(await stores.clusters.findByName(projectId, 'before')).toEqual([])
      expect(await stores.clusters.findByName(projectId, 'after')).toEqual([cluster.id])
      await stores.commit([stores.clusters.remove(await reread(cluster))])
      expect(await stores.clusters.findByName(projectId, 'after')).toEqual([])
    })

    it.each(['', '#', 'a#b', '%', 'a'.repeat(3000), '\u0000', 'näme'])('finds nothing under %j', async (name) => {
      expect(await stores.clusters.findByName('blue', name)).toEqual([])
    })
  })

  describe('uses', () => {
    it('are added and taken by themselves, sorted, without a new revision', async () => {
      const cluster = await inserted()
      await stores.commit([stores.clusters.addUses(cluster, ['member:f2', 'host:f1'])])
      await stores.commit([stores.clusters.addUses(cluster, ['member:f2', 'member:f1'])])
      expect(await stores.clusters.get(cluster)).toEqual(
        stored({ ...cluster, uses: ['host:f1', 'member:f1', 'member:f2'] }),
      )
      await stores.commit([stores.clusters.removeUses(cluster, ['host:f1', 'member:f1', 'member:f2', 'member:f9'])])
      expect(await stores.clusters.get(cluster)).toEqual(stored(cluster))
    })

    it.each<[Status, boolean]>([
      ['CREATE_IN_PROGRESS', false],
      ['CREATE_COMPLETE', true],
      ['CREATE_FAILED', false],
      ['UPDATE_IN_PROGRESS', true],
      ['UPDATE_COMPLETE', true],
      ['UPDATE_FAILED', true],
      ['DELETE_IN_PROGRESS', false],
      ['DELETE_COMPLETE', false],
      ['DELETE_FAILED', false],
    ])('of a cluster in %s can be added: %s', async (status, allowed) => {
      const cluster = await inserted({ status })
      const { errors } = await outcomes([stores.commit([stores.clusters.addUses(cluster, ['host:f1'])])])
      expect(errors).toEqual(allowed ? [] : ['ClusterNotUsable'])
    })

    it('of an absent cluster are refused, and taking them away is no error and makes nothing', async () => {
      const key = { projectId: 'blue', id: sampleId() }
      const adding = stores.commit([stores.clusters.addUses(key, ['host:f1'])])
      await expect(adding).rejects.toMatchObject({ name: 'ClusterNotUsable' })
      await stores.commit([stores.clusters.removeUses(key, ['host:f1'])])
      expect(await stores.clusters.get(key)).toBeUndefined()
    })

    it('and a deletion at once: one of both is refused', async () => {
      const rounds = Array.from({ length: 10 }, async () => {
        const cluster = await inserted()
        const { done } = await outcomes([
          stores.commit([stores.clusters.addUses(cluster, ['host:f1'])]),
          stores.commit([stores.clusters.change(cluster, { status: 'DELETE_IN_PROGRESS' }, { unlessUsed: true })]),
        ])
        return done
      })
      expect(await Promise.all(rounds)).toEqual(Array(10).fill(1))
    })
  })

  describe('observe', () => {
    it('stores the newest observation only, without a new revision', async () => {
      const cluster = await inserted()
      const newer = seen('2026-11-27T10:00:02.000Z')
      expect(await stores.clusters.observe(cluster, seen('2026-11-27T10:00:01.000Z'))).toBe(true)
      expect(await stores.clusters.observe(cluster, newer)).toBe(true)
      expect(await stores.clusters.observe(cluster, seen('2026-11-27T10:00:01.500Z'))).toBe(false)
      expect(await stores.clusters.observe(cluster, newer)).toBe(false)
      expect(await stores.clusters.get(cluster)).toEqual(stored({ ...cluster, observation: newer }))
    })

    it('stores what follows from a change with it or not at all, and only on top of what was read', async () => {
      const cluster = await inserted()
      const [first, second, third] = [1, 2, 3].map((at) => seen(`2026-11-27T10:00:0${at}.000Z`))
      const owner = { kind: 'cluster', id: cluster.id } as const
      const follows = (read: ClusterObservation | null | undefined) => ({
        read: read ?? null,
        writes: [stores.events.append(sampleEvent({ projectId: cluster.projectId, owner, id: sampleId() }))],
      })
      const events = async () => (await stores.events.listOf(cluster.projectId, owner, { limit: 9 })).items.length
      expect(await stores.clusters.observe(cluster, first!, follows(null))).toBe(true)
      expect(await stores.clusters.observe(cluster, second!, follows(null))).toBe(false)
      expect(await stores.clusters.observe(cluster, second!, follows(first))).toBe(true)
      expect(await stores.clusters.observe(cluster, third!, follows(first))).toBe(false)
      expect(await stores.clusters.observe(cluster, first!, follows(second))).toBe(false)
      expect(await stores.clusters.observe({ ...cluster, id: sampleId() }, third!, follows(null))).toBe(false)
      expect([await events(), (await stores.clusters.get(cluster))?.observation]).toEqual([2, second])
    })

    it('makes nothing of a cluster that is gone', async () => {
      const key = { projectId: 'blue', id: sampleId() }
      expect(await stores.clusters.observe(key, seen('2026-11-27T10:00:01.000Z'))).toBe(false)
      expect(await stores.clusters.get(key)).toBeUndefined()
    })

    it('is not lost to a change, nor to uses, all from one reading', async () => {
      const cluster = await inserted()
      const observation = seen('2026-11-27T10:00:01.000Z')
      await Promise.all([
        stores.clusters.observe(cluster, observation),
        stores.commit([stores.clusters.change(cluster, { status: 'UPDATE_IN_PROGRESS' })]),
        stores.commit([stores.clusters.addUses(cluster, ['member:f1'])]),
        stores.commit([stores.clusters.addUses(cluster, ['member:f2'])]),
      ])
      expect(await stores.clusters.get(cluster)).toEqual({
        integrity: expect.any(String),
        ...cluster,
        status: 'UPDATE_IN_PROGRESS',
        revision: 2,
        observation,
        uses: ['member:f1', 'member:f2'],
      })
    })
  })

  describe('noteReported', () => {
    it('replaces what was reported, without a new revision, until a use is taken away', async () => {
      const cluster = await inserted()
      await stores.commit([stores.clusters.addUses(cluster, ['member:f1', 'member:f2'])])
      const used = { ...cluster, uses: ['member:f1', 'member:f2'] }
      await stores.commit([stores.clusters.noteReported(cluster, { f1: 'HEALTHY' })])
      await stores.commit([stores.clusters.noteReported(cluster, { f2: 'UNHEALTHY' })])
      expect(await stores.clusters.get(cluster)).toEqual(stored({ ...used, told: { f2: 'UNHEALTHY' } }))
      await stores.commit([stores.clusters.removeUses(cluster, ['member:f1'])])
      expect(await stores.clusters.get(cluster)).toEqual(stored({ ...cluster, uses: ['member:f2'] }))
    })

    it('makes nothing of a cluster that is gone', async () => {
      const key = { projectId: 'blue', id: sampleId() }
      await stores.commit([stores.clusters.noteReported(key, { f1: 'HEALTHY' })])
      expect(await stores.clusters.get(key)).toBeUndefined()
    })
  })

  describe('uid', () => {
    it('belongs to one cluster of a project, which may claim it again', async () => {
      const uid = sampleId()
      await stores.commit([stores.clusters.claimUid('blue', uid, 'c1')])
      await stores.commit([stores.clusters.claimUid('blue', uid, 'c1')])
      const second = stores.commit([stores.clusters.claimUid('blue', uid, 'c2')])
      await expect(second).rejects.toMatchObject({ name: 'ReservationTaken', details: { owner: 'c1' } })
      await stores.commit([stores.clusters.claimUid('green', uid, 'c2')])
    })

    it('is given up by its owner only', async () => {
      const uid = sampleId()
      await stores.commit([stores.clusters.claimUid('blue', uid, 'c1')])
      await stores.commit([stores.clusters.releaseUid('blue', uid, 'c2')])
      await expect(stores.commit([stores.clusters.claimUid('blue', uid, 'c2')])).rejects.toThrow()
      await stores.commit([stores.clusters.releaseUid('blue', uid, 'c1')])
      await stores.commit([stores.clusters.releaseUid('blue', uid, 'c1')])
      await stores.commit([stores.clusters.claimUid('blue', uid, 'c2')])
    })

    it('is claimed by exactly one of 10 at once', async () => {
      const uid = sampleId()
      const claims = Array.from({ length: 10 }, (_, index) =>
        stores.commit([stores.clusters.claimUid('blue', uid, `c${index}`)]),
      )
      expect(await outcomes(claims)).toEqual({ done: 1, errors: Array(9).fill('ReservationTaken') })
    })
  })

  describe('remove', () => {
    it('removes the cluster as it was read', async () => {
      const cluster = await inserted()
      await stores.commit([stores.clusters.change(cluster, { statusReason: 'changed' })])
      const stale = stores.commit([stores.clusters.remove(cluster)])
      await expect(stale).rejects.toMatchObject({ name: 'RevisionConflict' })
      await stores.commit([stores.clusters.remove(await reread(cluster))])
      expect(await stores.clusters.get(cluster)).toBeUndefined()
    })
  })
}
