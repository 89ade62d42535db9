import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Cluster } from '../../../functions/core/cluster/cluster.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, collect, type MakeSubject, stored } from '../../support/store/contract-subject.ts'
import { sampleCluster, sampleId } from '../../support/store/samples.ts'

/** How far `ClusterStore` looks: within a project, and across projects for administrators. */
export const reachContract = (make: MakeSubject): void => {
  let subject: ContractSubject
  let stores: Stores
  beforeAll(async () => {
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject.dispose())

  const inserted = async (changes: Partial<Cluster> = {}) => {
    const cluster = sampleCluster(changes)
    await stores.commit([stores.clusters.insert(cluster)])
    return cluster
  }
  const within = (projectId: string) => ({ projectId, allProjects: false })
  const across = (projectId: string) => ({ projectId, allProjects: true })
  const keyOf = ({ projectId, id }: Cluster) => ({ projectId, id })

  describe('locate', () => {
    it('finds clusters of other projects only when the reach goes there', async () => {
      const cluster = await inserted()
      expect(await stores.clusters.locate(within('blue'), cluster.id)).toEqual(stored(cluster))
      expect(await stores.clusters.locate(within('green'), cluster.id)).toBeUndefined()
      expect(await stores.clusters.locate(across('green'), cluster.id)).toEqual(stored(cluster))
      await stores.commit([stores.clusters.remove(cluster)])
      expect(await stores.clusters.locate(across('green'), cluster.id)).toBeUndefined()
    })

    it.each(['', 'x', '#'])('finds nothing under %j', async (id) => {
      expect(await stores.clusters.locate(across('green'), id)).toBeUndefined()
    })
  })

  describe('locateByName', () => {
    it('tells own ones first, each oldest first, and follows renames', async () => {
      const name = `n#${sampleId()}`
      const foreign = await inserted({ name })
      const own = await inserted({ name, projectId: 'green' })
      const later = await inserted({ name, projectId: 'red' })
      expect(await stores.clusters.locateByName(within('green'), name)).toEqual([keyOf(own)])
      const all = [own, foreign, later].map(keyOf)
      expect(await stores.clusters.locateByName(across('green'), name)).toEqual(all)
      await stores.commit([stores.clusters.change(foreign, { name: `${name}-2` })])
      expect(await stores.clusters.locateByName(across('green'), name)).toEqual([own, later].map(keyOf))
      expect(await stores.clusters.locateByName(across('green'), `${name}-2`)).toEqual([keyOf(foreign)])
    })

    it('of many names leaves the list of all clusters for the sweep as it is', async () => {
      const names = await Promise.all(['0', '1', 'CLUSTER'].map((name) => inserted({ name })))
      const swept = await collect(stores.work.clusters())
      for (const cluster of names) {
        expect(swept.filter(({ id }) => id === cluster.id)).toEqual([keyOf(cluster)])
      }
    })
  })

  describe('listWithin', () => {
    const pages = async (reach: { projectId: string; allProjects: boolean }, limit: number) => {
      const found: string[] = []
      for (let more = true; more; ) {
        const marker = found.at(-1)
        const page = await stores.clusters.listWithin(reach, { limit, ...(marker === undefined ? {} : { marker }) })
        expect(page.items.length).toBeLessThanOrEqual(limit)
        found.push(...page.items.map(({ id }) => id))
        more = page.more
      }
      return found
    }

    it('lists own clusters, or those of all projects by id, page by page', async () => {
      const fresh = await make()
      const [mine, theirs] = [sampleId(), sampleId()]
      const clusters = Array.from({ length: 90 }, (_, index) => sampleCluster({ projectId: index % 3 ? theirs : mine }))
      await fresh.stores.commit(clusters.slice(0, 45).map(fresh.stores.clusters.insert))
      await fresh.stores.commit(clusters.slice(45).map(fresh.stores.clusters.insert))
      const previous = stores
      stores = fresh.stores
      const ids = clusters.map(({ id }) => id)
      expect(await pages(within(mine), 7)).toEqual(ids.filter((_, index) => index % 3 === 0))
      expect(await pages(across(mine), 7)).toEqual(ids)
      expect(await pages(across(mine), 90)).toEqual(ids)
      expect(await pages(across(sampleId()), 1000)).toEqual(ids)
      stores = previous
      await fresh.dispose()
    })

    it('cuts a page at 5 MB over all projects', async () => {
      const fresh = await make()
      const driverState = { blob: 'x'.repeat(350_000) }
      const clusters = Array.from({ length: 16 }, (_, index) =>
        sampleCluster({ projectId: `p${index % 2}`, driverState }),
      )
      for (const cluster of clusters) await fresh.stores.commit([fresh.stores.clusters.insert(cluster)])
      const first = await fresh.stores.clusters.listWithin(across('p0'), { limit: 100 })
      expect([first.items.length, first.more]).toEqual([14, true])
      const marker = first.items.at(-1)!.id
      const rest = await fresh.stores.clusters.listWithin(across('p0'), { limit: 100, marker })
      expect([rest.items, rest.more]).toEqual([clusters.slice(14).map(stored), false])
      await fresh.dispose()
    })
  })
}
