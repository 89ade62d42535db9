import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Grant, GrantUse } from '../../../functions/core/grant/grant.ts'
import { ItemAltered, RevisionConflict } from '../../../functions/store/errors.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import type { ContractSubject, MakeSubject } from '../../support/store/contract-subject.ts'
import { sampleGrant } from '../../support/store/samples.ts'

const USE: GrantUse = {
  side: 'member',
  federationId: 'f1',
  projectId: 'green|1#@',
  since: '2026-11-27T10:00:00.000Z',
}
const NOW = '2026-11-28T10:00:00.000Z'

/** What every implementation of `GrantStore` does. */
export const grantsContract = (make: MakeSubject): void => {
  let subject: ContractSubject | undefined
  let stores: Stores
  beforeEach(async () => {
    await subject?.dispose()
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject?.dispose())

  const given = async (changes: Partial<Grant> = {}): Promise<Grant> => {
    const grant = sampleGrant(changes)
    await stores.commit([stores.grants.insert(grant)])
    return read(grant)
  }
  const read = async (grant: Grant): Promise<Grant> => {
    const found = await stores.grants.get(grant)
    if (found === undefined) throw new Error('there is no such grant')
    return found
  }
  const endedAt = async (now: string): Promise<string[]> => {
    const ended: string[] = []
    for await (const { id } of stores.work.endedGrants(now)) ended.push(id)
    return ended
  }

  describe('a grant', () => {
    it('is found by its giver, its cluster and its receiver', async () => {
      const grant = await given()
      const ids = (grants: readonly Grant[]) => grants.map(({ id }) => id)
      expect(ids(await stores.grants.given('blue'))).toEqual([grant.id])
      expect(ids(await stores.grants.listOf({ projectId: 'blue', id: grant.clusterId }))).toEqual([grant.id])
      expect(ids(await stores.grants.received({ projectId: 'green' }))).toEqual([grant.id])
      expect(ids(await stores.grants.received({ projectId: 'green' }, grant.clusterId))).toEqual([grant.id])
      expect(await stores.grants.received({ projectId: 'green' }, 'another')).toEqual([])
      expect(await stores.grants.received({ projectId: 'red' })).toEqual([])
    })

    it('of one federation is found by that, whichever project it is of', async () => {
      const grant = await given({ receiver: { federationId: 'f1' } })
      expect(await stores.grants.received({ federationId: 'f1' })).toMatchObject([{ id: grant.id }])
      expect(await stores.grants.received({ projectId: 'green' })).toEqual([])
      expect(await stores.grants.received({ projectId: 'f1' })).toEqual([])
    })

    it('is gone for all of them when it is removed', async () => {
      const grant = await given()
      await stores.commit([stores.grants.remove(grant)])
      expect(await stores.grants.get(grant)).toBeUndefined()
      expect(await stores.grants.received({ projectId: 'green' })).toEqual([])
    })
  })

  describe('uses', () => {
    it('come and go without a revision, with any text as the project', async () => {
      const grant = await given()
      await stores.commit([stores.grants.addUses(grant, [USE])])
      expect(await read(grant)).toEqual({ ...grant, uses: [USE] })
      await stores.commit([stores.grants.removeUses(grant, [USE])])
      await stores.commit([stores.grants.removeUses(grant, [USE])])
      expect(await read(grant)).toEqual(grant)
    })

    it('begin by no grant that was revoked since it was read, or is gone', async () => {
      const grant = await given()
      await stores.commit([stores.grants.revoke(grant, NOW)])
      await expect(stores.commit([stores.grants.addUses(grant, [USE])])).rejects.toThrow(RevisionConflict)
      await stores.commit([stores.grants.remove(await read(grant))])
      await expect(stores.commit([stores.grants.addUses(grant, [USE])])).rejects.toThrow(RevisionConflict)
    })

    it('keep a grant from being removed by whoever has not seen them', async () => {
      const grant = await given()
      await stores.commit([stores.grants.addUses(grant, [USE])])
      await expect(stores.commit([stores.grants.remove(grant)])).rejects.toThrow(RevisionConflict)
      await stores.commit([stores.grants.remove(await read(grant))])
      expect(await stores.grants.get(grant)).toBeUndefined()
    })
  })

  describe('the end of a grant', () => {
    it('is found once its time is over, or it was revoked', async () => {
      const expiring = await given({ expiresAt: NOW })
      const revoked = await given()
      expect(await endedAt('2026-11-28T09:59:59.000Z')).toEqual([])
      expect(await endedAt(NOW)).toEqual([expiring.id])
      await stores.commit([stores.grants.revoke(revoked, NOW)])
      expect((await endedAt(NOW)).sort()).toEqual([expiring.id, revoked.id].sort())
      expect(await read(revoked)).toMatchObject({ revokedAt: NOW, revision: 2 })
    })
  })

  describe('integrity', () => {
    it.each([
      ['whose it is for', { receiver: { projectId: 'red' } }],
      ['the rights', { rights: 'more' }],
      ['the actions', { actions: ['join', 'host'] }],
      ['the expiry', { expiresAt: '2030-01-01T00:00:00.000Z' }],
      ['the revocation', { revokedAt: NOW }],
      ['the cluster', { clusterId: 'another' }],
    ] as const)('covers %s', async (_, change) => {
      const grant = await given()
      await expect(stores.integrity.requireGrant(grant)).resolves.toBeUndefined()
      await expect(stores.integrity.requireGrant({ ...grant, ...change })).rejects.toThrow(ItemAltered)
    })

    it('is renewed by a revocation, and not of what was altered', async () => {
      const grant = await given()
      await expect(stores.commit([stores.grants.revoke({ ...grant, rights: 'more' }, NOW)])).rejects.toThrow(
        ItemAltered,
      )
      await stores.commit([stores.grants.revoke(grant, NOW)])
      await expect(stores.integrity.requireGrant(await read(grant))).resolves.toBeUndefined()
    })
  })
}
