import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Secret } from '../../../functions/core/values/secret.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import type { ContractSubject, MakeSubject } from '../../support/store/contract-subject.ts'
import { sampleCluster, sampleId } from '../../support/store/samples.ts'

const MARKER = 'marker-5e61bb4a'

/** What every implementation of `CredentialStore` does. */
export const credentialStoreContract = (make: MakeSubject): void => {
  let subject: ContractSubject
  let stores: Stores
  beforeAll(async () => {
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject.dispose())

  const stored = async (secret: string, changes: { projectId?: string; purpose?: string } = {}) => {
    const key = { projectId: 'blue', owner: `cluster/${sampleId()}`, purpose: 'kubeconfig', ...changes }
    await stores.commit([await stores.credentials.seal(key, new Secret(secret))])
    return key
  }

  describe('credentials', () => {
    it.each(['', 'kubeconfig: ü €', 'x'.repeat(200_000)])('are given back as they were (%#)', async (secret) => {
      const key = await stored(secret)
      expect((await stores.credentials.get(key))?.reveal()).toBe(secret)
    })

    it('are absent under any other project, owner or purpose', async () => {
      const key = await stored('secret')
      for (const other of [{ projectId: 'green' }, { owner: 'cluster/x' }, { purpose: 'token' }]) {
        expect(await stores.credentials.get({ ...key, ...other })).toBeUndefined()
      }
    })

    it('are replaced and removed; absent is no error', async () => {
      const key = await stored('first')
      await stores.commit([await stores.credentials.seal(key, new Secret('second'))])
      expect((await stores.credentials.get(key))?.reveal()).toBe('second')
      await stores.commit([stores.credentials.remove(key)])
      await stores.commit([stores.credentials.remove(key)])
      expect(await stores.credentials.get(key)).toBeUndefined()
    })

    it('are stored by the commit that they are part of, or not at all', async () => {
      const cluster = sampleCluster()
      await stores.commit([stores.clusters.insert(cluster)])
      const key = { projectId: 'blue', owner: `cluster/${cluster.id}`, purpose: 'kubeconfig' }
      const sealed = await stores.credentials.seal(key, new Secret('secret'))
      await expect(stores.commit([sealed, stores.clusters.insert(cluster)])).rejects.toThrow()
      expect(await stores.credentials.get(key)).toBeUndefined()
    })

    it('can be sealed 50 times at once in a project that had none', async () => {
      const projectId = sampleId()
      const keys = await Promise.all(Array.from({ length: 50 }, (_, index) => stored(`${index}`, { projectId })))
      const values = await Promise.all(keys.map(async (key) => (await stores.credentials.get(key))?.reveal()))
      expect(values).toEqual(keys.map((_, index) => `${index}`))
    })

    it('never show in what is stored', async () => {
      const key = await stored(MARKER, { purpose: 'visible-purpose' })
      const dump = await subject.dump()
      expect(dump).toContain('visible-purpose')
      expect(dump).not.toContain(MARKER)
      expect(dump).not.toContain(Buffer.from(MARKER).toString('base64'))
      expect((await stores.credentials.get(key))?.reveal()).toBe(MARKER)
    })
  })
}
