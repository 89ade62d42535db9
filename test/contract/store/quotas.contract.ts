import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Quota } from '../../../functions/core/values/quota.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, type MakeSubject, outcomes } from '../../support/store/contract-subject.ts'
import { sampleCluster } from '../../support/store/samples.ts'

const sampleQuota = (changes: Partial<Quota> = {}): Quota => ({
  projectId: 'blue',
  resource: 'Cluster',
  number: 1,
  hardLimit: 5,
  revision: 1,
  createdAt: '2026-11-27T10:00:00.000Z',
  updatedAt: null,
  ...changes,
})

/** What every implementation of `QuotaStore` and `HeartbeatStore` does. */
export const quotaStoreContract = (make: MakeSubject): void => {
  let subject: ContractSubject | undefined
  let stores: Stores
  beforeEach(async () => {
    await subject?.dispose()
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject?.dispose())

  const inserted = async (changes: Partial<Quota> = {}) => {
    const quota = sampleQuota(changes)
    await stores.commit([stores.quotas.insert(quota)])
    return quota
  }

  describe('quotas', () => {
    it('are given back as stored, and listed by number over all projects', async () => {
      expect(await stores.quotas.list()).toEqual([])
      const second = await inserted({
        projectId: 'a#%',
        number: 2,
        hardLimit: 0,
        updatedAt: '2026-11-27T11:00:00.000Z',
      })
      const first = await inserted({ projectId: 'z', number: 1 })
      expect(await stores.quotas.get('a#%')).toEqual(second)
      expect(await stores.quotas.get('a')).toBeUndefined()
      expect(await stores.quotas.list()).toEqual([first, second])
    })

    it('are inserted once', async () => {
      const inserts = Array.from({ length: 10 }, (_, number) =>
        stores.commit([stores.quotas.insert(sampleQuota({ number }))]),
      )
      expect(await outcomes(inserts)).toEqual({ done: 1, errors: Array(9).fill('AlreadyExists') })
    })

    it('are changed by one of 20 writers, who adds 1 to the revision', async () => {
      const quota = await inserted()
      const change = { hardLimit: 9, updatedAt: '2026-11-27T11:00:00.000Z' }
      const writers = Array.from({ length: 20 }, () => stores.commit([stores.quotas.change(quota, change)]))
      expect(await outcomes(writers)).toEqual({ done: 1, errors: Array(19).fill('RevisionConflict') })
      expect(await stores.quotas.get('blue')).toEqual({ ...quota, ...change, revision: 2 })
    })

    it('are removed as they were read, also when another one was set since', async () => {
      const quota = await inserted()
      await stores.commit([stores.quotas.remove(quota)])
      expect(await stores.quotas.get('blue')).toBeUndefined()
      const next = await inserted({ number: 2 })
      const stale = stores.commit([stores.quotas.remove(quota)])
      await expect(stale).rejects.toMatchObject({ name: 'RevisionConflict' })
      expect(await stores.quotas.get('blue')).toEqual(next)
    })

    it('have numbers that 20 at once never share', async () => {
      const numbers = await Promise.all(Array.from({ length: 20 }, () => stores.quotas.nextNumber()))
      expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
      expect(await stores.quotas.list()).toEqual([])
    })
  })

  describe('places', () => {
    const take = (count: number, limit: number, projectId = 'blue') =>
      outcomes(Array.from({ length: count }, () => stores.quotas.takePlace(projectId, limit)))
    const withClusters = async (count: number, projectId = 'blue') => {
      const clusters = Array.from({ length: count }, () => sampleCluster({ projectId }))
      await stores.commit(clusters.map(stores.clusters.insert))
      return clusters
    }
    const reached = (count: number) => Array(count).fill('QuotaReached')

    it('are given to exactly 20 of 30 at once in a project that is new', async () => {
      expect(await take(30, 20)).toEqual({ done: 20, errors: reached(10) })
      expect(await take(1, 20, 'green')).toEqual({ done: 1, errors: [] })
    })

    it('are given to exactly as many of 30 at once as are left beside clusters that were never counted', async () => {
      await withClusters(7)
      await withClusters(3, 'green')
      expect(await take(30, 20)).toEqual({ done: 13, errors: reached(17) })
    })

    it('are refused with a sentence that says how to raise the limit', async () => {
      await expect(stores.quotas.takePlace('blue', 0)).rejects.toMatchObject({
        name: 'QuotaReached',
        kind: 'forbidden',
        message: expect.stringMatching(/allows: 0\..*openstack coe quotas update.*PATCH \/v1\/quotas\/blue\/Cluster/),
        details: { projectId: 'blue', limit: 0 },
      })
    })

    it('come back when they are freed, and never more than were taken', async () => {
      await stores.quotas.freePlace('blue')
      await take(2, 2)
      await stores.quotas.freePlace('blue')
      expect(await take(2, 2)).toEqual({ done: 1, errors: reached(1) })
      for (let index = 0; index < 5; index++) await stores.quotas.freePlace('blue')
      expect(await take(3, 2)).toEqual({ done: 2, errors: reached(1) })
    })

    it('freed and taken at once stay exact', async () => {
      await take(20, 20)
      const [taken] = await Promise.all([
        take(10, 40),
        Promise.all(Array.from({ length: 10 }, () => stores.quotas.freePlace('blue'))),
      ])
      expect(taken.done).toBe(10)
      expect(await take(30, 40)).toEqual({ done: 20, errors: reached(10) })
    })

    it('that a crash left taken are found out by counting, after a minute of rest and no sooner', async () => {
      await withClusters(1)
      expect((await take(2, 3)).done).toBe(2)
      subject?.clock.advance(60_000)
      expect(await take(1, 3)).toEqual({ done: 0, errors: reached(1) })
      subject?.clock.advance(1)
      expect(await take(30, 3)).toEqual({ done: 2, errors: reached(28) })
      subject?.clock.advance(60_000)
      expect(await take(1, 3)).toEqual({ done: 0, errors: reached(1) })
    })

    it('that were freed too often are found out as well', async () => {
      await withClusters(3)
      expect((await take(1, 5)).done).toBe(1)
      for (let index = 0; index < 4; index++) await stores.quotas.freePlace('blue')
      expect((await take(5, 5)).done).toBe(5)
      await withClusters(5)
      subject?.clock.advance(60_001)
      expect(await take(1, 8)).toEqual({ done: 1, errors: [] })
      expect(await take(1, 6)).toEqual({ done: 0, errors: reached(1) })
      subject?.clock.advance(60_001)
      expect(await take(1, 6)).toEqual({ done: 0, errors: reached(1) })
      expect(await take(2, 9)).toEqual({ done: 1, errors: reached(1) })
    })

    it('follow a limit that was lowered below what is there', async () => {
      await take(5, 5)
      expect(await take(1, 3)).toEqual({ done: 0, errors: reached(1) })
    })
  })

  describe('heartbeats', () => {
    it('are counted per host, numbered in the order of the first', async () => {
      const at = (minute: number) => `2026-11-27T10:0${minute}:00.000Z`
      for (const host of ['reconciler', 'health-sweep', 'reconciler']) {
        await stores.heartbeats.beat(host)
        subject?.clock.advance(60_000)
      }
      expect(await stores.heartbeats.list()).toEqual([
        { number: 1, host: 'reconciler', reportCount: 2, createdAt: at(0), updatedAt: at(2) },
        { number: 2, host: 'health-sweep', reportCount: 1, createdAt: at(1), updatedAt: at(1) },
      ])
    })

    it('of 20 first ones at once are all counted, under one number', async () => {
      await Promise.all(Array.from({ length: 20 }, () => stores.heartbeats.beat('renewals')))
      const [heartbeat, ...others] = await stores.heartbeats.list()
      expect([heartbeat?.reportCount, others]).toEqual([20, []])
      await stores.heartbeats.beat('renewals')
      expect(await stores.heartbeats.list()).toMatchObject([{ number: heartbeat?.number, reportCount: 21 }])
    })
  })
}
