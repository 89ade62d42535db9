import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { LIMIT_RESOURCES, type ProjectLimits } from '../../../functions/core/values/quota.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, type MakeSubject, outcomes } from '../../support/store/contract-subject.ts'
import {
  readyOf,
  sampleCluster,
  sampleFederation,
  sampleId,
  sampleJoining,
  sampleOperation,
  sampleTemplate,
  sampleTrigger,
} from '../../support/store/samples.ts'

const NOW = '2026-11-29T10:00:00.000Z'

const limits = (fields: Partial<ProjectLimits>): ProjectLimits => ({
  federations: 100,
  templates: 100,
  operations: 100,
  grants: 100,
  members: 100,
  triggers: 100,
  ...fields,
})

/** What every implementation of `Commit` does with the limits of projects. */
export const projectLimitsContract = (make: MakeSubject): void => {
  let subject: ContractSubject | undefined
  let stores: Stores
  beforeEach(async () => {
    await subject?.dispose()
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject?.dispose())

  const reached = (count: number) => Array(count).fill('ProjectLimitReached')
  const all = (count: number, one: () => Promise<void>) => outcomes(Array.from({ length: count }, one))
  const operating = () => sampleFederation({ operation: sampleOperation('create') })
  const begin = (within?: ProjectLimits) => stores.commit([stores.federations.insert(operating())], within)

  describe.each([
    [
      'federations',
      (projectId: string) => {
        const federation = sampleFederation({ projectId })
        return { insert: stores.federations.insert(federation), remove: stores.federations.remove(federation) }
      },
    ],
    [
      'templates',
      (projectId: string) => {
        const template = sampleTemplate({ projectId, name: null, clusterCount: 0 })
        return { insert: stores.templates.insert(template), remove: stores.templates.remove(template) }
      },
    ],
    [
      'members',
      (projectId: string) => {
        const member = readyOf(sampleJoining({ projectId, clusterId: sampleId() }))
        return { insert: stores.memberships.insert(member), remove: stores.memberships.remove(member) }
      },
    ],
    [
      'triggers',
      (projectId: string) => {
        const trigger = sampleTrigger({ projectId })
        return { insert: stores.triggers.insert(trigger), remove: stores.triggers.remove(trigger) }
      },
    ],
  ] as const)('%s of a project', (kind, sample) => {
    const insert = (projectId = 'blue', within = limits({ [kind]: 20 })) =>
      stores.commit([sample(projectId).insert], within)

    it('are as many as a quota of the project says, more or fewer than the limit of all', async () => {
      const resource = LIMIT_RESOURCES[kind]
      const quota = {
        projectId: 'blue',
        resource,
        number: 1,
        hardLimit: 3,
        revision: 1,
        createdAt: NOW,
        updatedAt: null,
      }
      await stores.commit([stores.quotas.insert(quota)])
      expect(await all(5, () => insert('blue', limits({ [kind]: 1 })))).toEqual({ done: 3, errors: reached(2) })
      expect(await all(2, () => insert('green', limits({ [kind]: 1 })))).toEqual({ done: 1, errors: reached(1) })
      await stores.commit([stores.quotas.change(quota, { hardLimit: 0, updatedAt: NOW })])
      expect(await all(1, () => insert('blue', limits({ [kind]: 100 })))).toEqual({ done: 0, errors: reached(1) })
    })

    it('are as many of 30 at once as the limit allows, and of another project as well', async () => {
      expect(await all(30, () => insert())).toEqual({ done: 20, errors: reached(10) })
      expect(await all(1, () => insert('green'))).toEqual({ done: 1, errors: [] })
    })

    it('are counted where they were made before there was a count', async () => {
      for (let index = 0; index < 7; index++) await stores.commit([sample('blue').insert])
      expect(await all(30, () => insert())).toEqual({ done: 13, errors: reached(17) })
    })

    it('are refused with the count, the limit and what to do, and leave nothing', async () => {
      await insert()
      await expect(insert('blue', limits({ [kind]: 1 }))).rejects.toMatchObject({
        name: 'ProjectLimitReached',
        kind: 'forbidden',
        message: expect.stringMatching(
          /^Project blue has 1 .*adds 1, and the limit is 1\. (?:Delete|Unjoin) one, or ask/,
        ),
        details: { projectId: 'blue', kind, used: 1, limit: 1 },
      })
    })

    it('make room when they are removed, and when their insert is refused', async () => {
      const one = sample('blue')
      const within = limits({ [kind]: 2 })
      await stores.commit([one.insert], within)
      await expect(stores.commit([one.insert], within)).rejects.toMatchObject({ name: 'AlreadyExists' })
      await insert('blue', within)
      expect(await all(1, () => insert('blue', within))).toEqual({ done: 0, errors: reached(1) })
      await stores.commit([one.remove])
      expect(await all(3, () => insert('blue', within))).toEqual({ done: 1, errors: reached(2) })
    })
  })

  describe('operations of a project', () => {
    it('are in progress at once as many as the limit allows, over all kinds of entities', async () => {
      const within = limits({ operations: 3 })
      const cluster = sampleCluster({ operation: null })
      await stores.commit([stores.clusters.insert(cluster)])
      await stores.commit([stores.clusters.change(cluster, { operation: sampleOperation('update') })], within)
      await begin(within)
      await stores.commit([stores.memberships.insert(sampleJoining())], within)
      await expect(begin(within)).rejects.toMatchObject({
        name: 'ProjectLimitReached',
        message: expect.stringMatching(
          /has 3 operations in progress, .* limit is 3\. Wait until some of them have ended/,
        ),
      })
    })

    it('make room when they end', async () => {
      const within = limits({ operations: 1 })
      const federation = operating()
      await stores.commit([stores.federations.insert(federation)], within)
      expect(await all(1, () => begin(within))).toEqual({ done: 0, errors: reached(1) })
      await stores.commit([stores.federations.change(federation, { operation: null })])
      const joining = sampleJoining()
      await stores.commit([stores.memberships.insert(joining)], within)
      await stores.commit([stores.memberships.replace(joining, readyOf(joining))])
      expect(await all(5, () => begin(within))).toEqual({ done: 1, errors: reached(4) })
    })

    it('that take the place of others are no more than before', async () => {
      const within = limits({ operations: 1 })
      const federation = operating()
      await stores.commit([stores.federations.insert(federation)], within)
      const change = stores.federations.change(federation, { operation: sampleOperation('update') })
      await stores.commit([change], within)
      await stores.commit([stores.federations.remove({ ...federation, revision: 2 })])
      await begin(within)
    })

    it('of one request are all counted, or none', async () => {
      const joins = (count: number) => Array.from({ length: count }, () => stores.memberships.insert(sampleJoining()))
      const within = limits({ operations: 10 })
      await stores.commit(joins(8), within)
      await expect(stores.commit(joins(3), within)).rejects.toMatchObject({
        message: expect.stringContaining('has 8 operations in progress, this request adds 3, and the limit is 10.'),
      })
      await stores.commit(joins(2), within)
    })

    it('that delete or unjoin are taken at any time, and count', async () => {
      const within = limits({ operations: 0 })
      const federation = sampleFederation()
      const ready = readyOf(sampleJoining())
      await stores.commit([stores.federations.insert(federation), stores.memberships.insert(ready)])
      await stores.commit([stores.federations.change(federation, { operation: sampleOperation('delete') })], within)
      const leaving = { ...ready, state: 'Leaving', operation: sampleOperation('unjoin') } as const
      await stores.commit([stores.memberships.replace(ready, leaving)], within)
      await expect(begin(limits({ operations: 2 }))).rejects.toMatchObject({ details: { used: 2 } })
    })

    it('of flows and workers are never refused, and count', async () => {
      await begin(limits({ operations: 1 }))
      await begin()
      await expect(begin(limits({ operations: 2 }))).rejects.toMatchObject({ details: { used: 2 } })
    })

    it('that a crash left counted are found out by counting, after a minute of rest', async () => {
      const within = limits({ operations: 2 })
      const federation = operating()
      await stores.commit([stores.federations.insert(federation)], within)
      await stores.commit([stores.federations.change(federation, { operation: null })])
      const lost = stores.commit([stores.federations.insert({ ...federation })], within)
      await expect(lost).rejects.toMatchObject({ name: 'AlreadyExists' })
      await begin(within)
      await begin(within)
      expect(await all(1, () => begin(within))).toEqual({ done: 0, errors: reached(1) })
      subject?.clock.advance(60_001)
      expect(await all(1, () => begin(within))).toEqual({ done: 0, errors: reached(1) })
      subject?.clock.advance(60_001)
      expect(await all(2, () => begin(limits({ operations: 3 })))).toEqual({ done: 1, errors: reached(1) })
    })
  })
}
