import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ControlPlaneObservation, Federation } from '../../../functions/core/federation/federation.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import { type ContractSubject, type MakeSubject, outcomes, stored } from '../../support/store/contract-subject.ts'
import { sampleFederation, sampleId, sampleOperation } from '../../support/store/samples.ts'

const look = (observedAt: string): ControlPlaneObservation => ({
  observedAt,
  fault: 'EtcdDown',
  members: { c1: { reason: 'CredentialRejected', message: 'The token is refused.', confirmed: true } },
})

/** What every implementation of `FederationStore` does. */
export const federationStoreContract = (make: MakeSubject): void => {
  let subject: ContractSubject
  let stores: Stores
  beforeAll(async () => {
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject.dispose())

  const inserted = async (changes: Partial<Federation> = {}) => {
    const federation = sampleFederation(changes)
    await stores.commit([stores.federations.insert(federation)])
    return federation
  }

  describe('get, insert and remove', () => {
    it('gives back what was stored, in every attribute', async () => {
      const federation = await inserted({
        operation: sampleOperation('create', { failure: null, supersedes: [] }),
        change: {
          id: sampleId(),
          deadline: '2026-11-27T11:00:00.000Z',
          failure: { reason: 'TimedOut', message: 'No answer.' },
          leftBehind: ['edge-1 was removed without being cleaned.'],
        },
        renewAfter: '2026-12-27T10:00:00.000Z',
        driverSecrets: ['pki'],
        observation: look('2026-11-27T10:30:00.000Z'),
        memberIds: ['c1', 'c2'],
      })
      expect(await stores.federations.get(federation)).toEqual(stored(federation))
      expect(await stores.federations.get({ projectId: 'green', id: federation.id })).toBeUndefined()
    })

    it('refuses a second federation with the same id', async () => {
      const federation = await inserted()
      const again = stores.commit([stores.federations.insert(federation)])
      await expect(again).rejects.toMatchObject({ name: 'AlreadyExists' })
    })

    it('removes the federation as it was read, with its name', async () => {
      const federation = await inserted({ name: 'to-remove' })
      await stores.commit([stores.federations.change(federation, { status: 'DELETE_IN_PROGRESS' })])
      const stale = stores.commit([stores.federations.remove(federation)])
      await expect(stale).rejects.toMatchObject({ name: 'RevisionConflict' })
      expect(await stores.federations.findByName('blue', 'to-remove')).toEqual([federation.id])
      await stores.commit([stores.federations.remove({ ...federation, revision: 2 })])
      expect(await stores.federations.get(federation)).toBeUndefined()
      expect(await stores.federations.findByName('blue', 'to-remove')).toEqual([])
    })
  })

  describe('observe', () => {
    it('stores the newest observation only, without a new revision, and is not lost to a change of the same reading', async () => {
      const federation = await inserted()
      const newer = look('2026-11-27T10:00:02.000Z')
      expect(await stores.federations.observe(federation, look('2026-11-27T10:00:01.000Z'))).toBe(true)
      expect(await stores.federations.observe(federation, newer)).toBe(true)
      expect(await stores.federations.observe(federation, look('2026-11-27T10:00:01.500Z'))).toBe(false)
      expect(await stores.federations.get(federation)).toEqual(stored({ ...federation, observation: newer }))
      await stores.commit([stores.federations.change(federation, { statusReason: 'why' })])
      expect(await stores.federations.get(federation)).toMatchObject({ revision: 2, observation: newer })
    })

    it('makes nothing of a federation that is gone', async () => {
      const key = { projectId: 'blue', id: sampleId() }
      expect(await stores.federations.observe(key, look('2026-11-27T10:00:01.000Z'))).toBe(false)
      expect(await stores.federations.get(key)).toBeUndefined()
    })
  })

  describe('list', () => {
    it('holds the federations of one project, in order of creation', async () => {
      const projectId = sampleId()
      const first = await inserted({ projectId })
      const second = await inserted({ projectId })
      await inserted()
      expect(await stores.federations.list(projectId, { limit: 1 })).toEqual({ items: [stored(first)], more: true })
      const rest = await stores.federations.list(projectId, { limit: 1, marker: first.id })
      expect(rest).toEqual({ items: [stored(second)], more: false })
    })
  })

  describe('change', () => {
    it('sets every field that may change, and adds 1 to the revision', async () => {
      const federation = await inserted({ operation: sampleOperation('create') })
      const fields = {
        properties: {},
        status: 'UPDATE_FAILED' as const,
        statusReason: 'why',
        operation: null,
        change: { id: sampleId(), deadline: '2026-11-27T11:00:00.000Z' },
        conditions: [],
        endpoint: null,
        made: [],
        renewAfter: '2026-12-27T10:00:00.000Z',
        driverSecrets: ['pki'],
        driverState: { a: null },
        updatedAt: null,
      }
      const read = await stores.federations.get(federation)
      await stores.commit([stores.federations.change(read!, fields)])
      expect(await stores.federations.get(federation)).toEqual(stored({ ...federation, ...fields, revision: 2 }))
      await stores.commit([stores.federations.change({ ...federation, ...fields, revision: 2 }, { change: null })])
      expect((await stores.federations.get(federation))?.change).toBeNull()
    })

    it.each([
      ['adds', { add: ['c3', 'c1'] }, ['c1', 'c2', 'c3']],
      ['removes', { remove: ['c2', 'c9'] }, ['c1']],
      ['adds and removes', { add: ['c3'], remove: ['c1'] }, ['c2', 'c3']],
      ['removes all', { remove: ['c1', 'c2'] }, []],
      ['adds and removes all', { add: ['c3'], remove: ['c1', 'c2', 'c3'] }, []],
      ['leaves', {}, ['c1', 'c2']],
    ])('%s member ids in the same write', async (_, memberIds, expected) => {
      const federation = await inserted({ memberIds: ['c1', 'c2'] })
      await stores.commit([stores.federations.change(federation, { statusReason: 'busy' }, memberIds)])
      const changed = await stores.federations.get(federation)
      expect(changed).toEqual(stored({ ...federation, statusReason: 'busy', memberIds: expected, revision: 2 }))
    })

    it('adds and removes on a federation without members', async () => {
      const federation = await inserted()
      await stores.commit([stores.federations.change(federation, {}, { add: ['c1'], remove: ['c2'] })])
      expect((await stores.federations.get(federation))?.memberIds).toEqual(['c1'])
    })

    it('lets exactly one of 20 writers of one revision win', async () => {
      const federation = await inserted()
      const changes = Array.from({ length: 20 }, (_, index) =>
        stores.commit([stores.federations.change(federation, {}, { add: [`c${index}`] })]),
      )
      expect(await outcomes(changes)).toEqual({ done: 1, errors: Array(19).fill('RevisionConflict') })
      expect((await stores.federations.get(federation))?.memberIds).toHaveLength(1)
    })
  })

  describe('removeMemberId', () => {
    it('takes one id out without a new revision, also beside a change of the same reading', async () => {
      const federation = await inserted({ memberIds: ['c1', 'c2'] })
      await stores.commit([stores.federations.removeMemberId(federation, 'c1')])
      await stores.commit([stores.federations.removeMemberId(federation, 'c9')])
      expect(await stores.federations.get(federation)).toEqual(stored({ ...federation, memberIds: ['c2'] }))
      await stores.commit([stores.federations.change(federation, { statusReason: 'busy' }, { add: ['c3'] })])
      expect((await stores.federations.get(federation))?.memberIds).toEqual(['c2', 'c3'])
    })

    it('is never undone by a change that adds and removes from an older reading', async () => {
      const federation = await inserted({ memberIds: ['c1', 'c2'] })
      await stores.commit([stores.federations.removeMemberId(federation, 'c1')])
      const change = stores.commit([stores.federations.change(federation, {}, { add: ['c3'], remove: ['c2'] })])
      await expect(change).rejects.toMatchObject({ name: 'RevisionConflict' })
      expect((await stores.federations.get(federation))?.memberIds).toEqual(['c2'])
    })

    it('of 20 at once loses none', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `c${index}`)
      const federation = await inserted({ memberIds: ids })
      await Promise.all(ids.slice(1).map((id) => stores.commit([stores.federations.removeMemberId(federation, id)])))
      expect((await stores.federations.get(federation))?.memberIds).toEqual(['c0'])
    })

    it('of a federation that is gone is no error and makes nothing', async () => {
      const key = { projectId: 'blue', id: sampleId() }
      await stores.commit([stores.federations.removeMemberId(key, 'c1')])
      expect(await stores.federations.get(key)).toBeUndefined()
    })
  })

  describe('namespace', () => {
    const hostIn = (projectId: string, uid = sampleId()) => ({ projectId, uid })

    it('of a host belongs to one federation of a project, which may claim it again', async () => {
      const host = hostIn('blue')
      await stores.commit([stores.federations.claimNamespace(host, 'fedplane-1', 'f1')])
      await stores.commit([stores.federations.claimNamespace(host, 'fedplane-1', 'f1')])
      await stores.commit([stores.federations.claimNamespace(host, 'fedplane-2', 'f2')])
      const second = await stores
        .commit([stores.federations.claimNamespace(host, 'fedplane-1', 'f2')])
        .catch((error: unknown) => error)
      expect(second).toMatchObject({ name: 'ReservationTaken' })
      expect(JSON.stringify([second, String(second)])).not.toContain('f1')
    })

    it('can not be squatted from another project, by a cluster that says it has the same uid', async () => {
      const impostor = hostIn('red')
      await stores.commit([stores.federations.claimNamespace(impostor, 'federation-system', 'squatter')])
      const real = hostIn('blue', impostor.uid)
      await stores.commit([stores.federations.claimNamespace(real, 'federation-system', 'f1')])
      await stores.commit([stores.federations.releaseNamespace(real, 'federation-system', 'f1')])
      const again = stores.commit([stores.federations.claimNamespace(impostor, 'federation-system', 'other')])
      await expect(again).rejects.toMatchObject({ name: 'ReservationTaken' })
    })

    it('is given up by its federation only', async () => {
      const host = hostIn('blue')
      await stores.commit([stores.federations.claimNamespace(host, 'ns', 'f1')])
      await stores.commit([stores.federations.releaseNamespace(host, 'ns', 'f2')])
      await expect(stores.commit([stores.federations.claimNamespace(host, 'ns', 'f2')])).rejects.toThrow()
      await stores.commit([stores.federations.releaseNamespace(host, 'ns', 'f1')])
      await stores.commit([stores.federations.claimNamespace(host, 'ns', 'f2')])
    })
  })
}
