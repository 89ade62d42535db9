import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Federation } from '../../../functions/core/federation/federation.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, collect, type MakeSubject } from '../../support/store/contract-subject.ts'
import {
  readyOf,
  sampleCluster,
  sampleFederation,
  sampleId,
  sampleJoining,
  sampleOperation,
} from '../../support/store/samples.ts'

const at = (minute: number): string => `2026-11-27T10:${String(minute).padStart(2, '0')}:00.000Z`

/** What every implementation of `WorkStore` does. */
export const workStoreContract = (make: MakeSubject): void => {
  let subject: ContractSubject | undefined
  let stores: Stores
  beforeEach(async () => {
    await subject?.dispose()
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject?.dispose())

  describe('open', () => {
    it('holds entities of all projects with something in progress, earliest deadline first', async () => {
      const cluster = sampleCluster({ operation: sampleOperation('create', { deadline: at(3) }) })
      const federation = sampleFederation({ operation: sampleOperation('delete', { deadline: at(1) }) })
      const changing = sampleFederation({ projectId: 'green', change: { id: sampleId(), deadline: at(2) } })
      const joining = sampleJoining({ operation: sampleOperation('join', { deadline: at(0) }) })
      await stores.commit([
        stores.clusters.insert(sampleCluster()),
        stores.clusters.insert(cluster),
        stores.federations.insert(sampleFederation()),
        stores.federations.insert(federation),
        stores.federations.insert(changing),
        stores.memberships.insert(joining),
        stores.memberships.insert(readyOf(sampleJoining())),
      ])
      expect(await collect(stores.work.open())).toEqual([
        {
          kind: 'membership',
          projectId: 'blue',
          entityId: `${joining.federationId}:${joining.clusterId}`,
          deadline: at(0),
        },
        { kind: 'federation', projectId: 'blue', entityId: federation.id, deadline: at(1) },
        { kind: 'federation', projectId: 'green', entityId: changing.id, deadline: at(2) },
        { kind: 'cluster', projectId: 'blue', entityId: cluster.id, deadline: at(3) },
      ])
    })

    it('follows a cluster through its changes', async () => {
      const cluster = sampleCluster()
      const operation = sampleOperation('update', { deadline: at(5) })
      await stores.commit([stores.clusters.insert(cluster)])
      await stores.commit([stores.clusters.change(cluster, { operation })])
      expect(await collect(stores.work.open())).toMatchObject([{ entityId: cluster.id, deadline: at(5) }])
      await stores.commit([stores.clusters.change({ ...cluster, revision: 2, operation }, { statusReason: 'step 2' })])
      expect(await collect(stores.work.open())).toMatchObject([{ entityId: cluster.id, deadline: at(5) }])
      await stores.commit([stores.clusters.change({ ...cluster, revision: 3, operation }, { operation: null })])
      expect(await collect(stores.work.open())).toEqual([])
    })

    it('follows a federation through operation and run of changes, by the earlier deadline', async () => {
      const operation = sampleOperation('create', { deadline: at(4) })
      const federation = sampleFederation({ operation })
      await stores.commit([stores.federations.insert(federation)])
      const change = { id: sampleId(), deadline: at(2) }
      await stores.commit([stores.federations.change(federation, { change })])
      expect(await collect(stores.work.open())).toMatchObject([{ deadline: at(2) }])
      const both = { ...federation, change, revision: 2 }
      await stores.commit([stores.federations.change(both, { change: null })])
      expect(await collect(stores.work.open())).toMatchObject([{ deadline: at(4) }])
      await stores.commit([stores.federations.change({ ...federation, revision: 3 }, { operation: null })])
      expect(await collect(stores.work.open())).toEqual([])
    })

    it('forgets a membership that came to rest, and what was removed', async () => {
      const joining = sampleJoining()
      const cluster = sampleCluster({ operation: sampleOperation('delete') })
      await stores.commit([stores.memberships.insert(joining), stores.clusters.insert(cluster)])
      await stores.commit([stores.memberships.replace(joining, readyOf(joining)), stores.clusters.remove(cluster)])
      expect(await collect(stores.work.open())).toEqual([])
    })
  })

  describe('renewals', () => {
    it('holds memberships in rest whose credential is due, earliest first', async () => {
      const ready = [3, 1, 2].map((minute) => readyOf(sampleJoining(), at(minute)))
      const never = readyOf(sampleJoining(), null)
      const rotating = { ...readyOf(sampleJoining(), at(1)), operation: sampleOperation('rotate') }
      const leaving = {
        ...readyOf(sampleJoining(), at(1)),
        state: 'Leaving' as const,
        operation: sampleOperation('unjoin'),
      }
      await stores.commit([...ready, never, rotating, leaving].map((member) => stores.memberships.insert(member)))
      const due = await collect(stores.work.renewals(at(2)))
      const keys = [rotating, ready[1]!, ready[2]!].map(({ projectId, federationId, clusterId }) => ({
        kind: 'membership',
        projectId,
        federationId,
        clusterId,
      }))
      expect(due).toHaveLength(3)
      expect(due).toEqual(expect.arrayContaining(keys))
      expect(due[2]).toEqual(keys[2])
    })

    it('holds clusters whose credential in a cloud is due, until they are deleted', async () => {
      const cloud = (renewAfter: string) => ({ userId: 'ana', renewAfter })
      const due = sampleCluster({ cloud: cloud(at(1)) })
      const later = sampleCluster({ cloud: cloud(at(3)) })
      const gone = sampleCluster({ cloud: cloud(at(1)), status: 'DELETE_IN_PROGRESS' })
      const clusters = [due, later, gone, sampleCluster()]
      await stores.commit(clusters.map((cluster) => stores.clusters.insert(cluster)))
      const dueAt = (now: string) => collect(stores.work.renewals(now))
      const keyOf = ({ projectId, id }: { projectId: string; id: string }) => ({ kind: 'cluster', projectId, id })
      expect(await dueAt(at(2))).toEqual([keyOf(due)])
      await stores.commit([stores.clusters.change(due, { cloud: cloud(at(4)) })])
      expect(await dueAt(at(3))).toEqual([keyOf(later)])
      await stores.commit([stores.clusters.change(later, { cloud: null })])
      expect(await dueAt(at(9))).toEqual([keyOf(due)])
    })

    it('holds federations whose certificates are due, also while something runs, until they are deleted', async () => {
      const due = sampleFederation({ renewAfter: at(1) })
      const rotating = sampleFederation({ renewAfter: at(2), operation: sampleOperation('rotate') })
      const later = sampleFederation({ renewAfter: at(3) })
      const gone = sampleFederation({ renewAfter: at(1), status: 'DELETE_IN_PROGRESS' })
      const all = [due, rotating, later, gone, sampleFederation()]
      await stores.commit(all.map((federation) => stores.federations.insert(federation)))
      const keyOf = ({ projectId, id }: Federation) => ({ kind: 'federation', projectId, id })
      expect(await collect(stores.work.renewals(at(2)))).toEqual([keyOf(due), keyOf(rotating)])
      await stores.commit([
        stores.federations.change(due, { renewAfter: at(4) }),
        stores.federations.change(rotating, { renewAfter: null }),
        stores.federations.change(later, { status: 'DELETE_FAILED' }),
      ])
      expect(await collect(stores.work.renewals(at(9)))).toEqual([keyOf(due)])
    })
  })

  describe('federations', () => {
    it('holds all federations of all projects', async () => {
      const federations = Array.from({ length: 40 }, (_, index) => sampleFederation({ projectId: `p${index % 3}` }))
      await stores.commit(federations.map(stores.federations.insert))
      await stores.commit([stores.federations.remove(federations[0]!), stores.clusters.insert(sampleCluster())])
      const found = await collect(stores.work.federations())
      const expected = federations.slice(1).map(({ projectId, id }) => ({ projectId, id }))
      expect(found).toHaveLength(39)
      expect(found).toEqual(expect.arrayContaining(expected))
    })
  })

  describe('clusters', () => {
    it('holds all clusters of all projects', async () => {
      const clusters = Array.from({ length: 40 }, (_, index) => sampleCluster({ projectId: `p${index % 3}` }))
      await stores.commit(clusters.map(stores.clusters.insert))
      await stores.commit([stores.clusters.remove(clusters[0]!), stores.federations.insert(sampleFederation())])
      const found = await collect(stores.work.clusters())
      const expected = clusters.slice(1).map(({ projectId, id }) => ({ projectId, id }))
      expect(found).toHaveLength(39)
      expect(found).toEqual(expect.arrayContaining(expected))
    })
  })
}
