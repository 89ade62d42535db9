import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Stores } from '../../../functions/store/stores.ts'
import type { ContractSubject, MakeSubject } from '../../support/store/contract-subject.ts'
import { sampleCluster, sampleFederation, sampleJoining } from '../../support/store/samples.ts'

/** What the store proves of the items that it wrote: see `IntegrityStore`. */
export const integrityContract = (makeSubject: MakeSubject): void => {
  let subject: ContractSubject
  let stores: Stores
  beforeAll(async () => {
    subject = await makeSubject()
    stores = subject.stores
  })
  afterAll(() => subject.dispose())

  const ALTERED = { name: 'ItemAltered', kind: 'internal' }
  const newCluster = async () => {
    const cluster = sampleCluster({ management: { driver: 'capi@1', options: { b: '2', a: '1' }, isDefault: true } })
    await stores.commit([stores.clusters.insert(cluster)])
    return (await stores.clusters.get(cluster))!
  }
  const newFederation = async () => {
    const federation = sampleFederation()
    await stores.commit([stores.federations.insert(federation)])
    return (await stores.federations.get(federation))!
  }

  describe('IntegrityStore', () => {
    it('believes what was inserted, and what was changed since', async () => {
      const cluster = await newCluster()
      await stores.integrity.requireCluster(cluster)
      const moved = {
        server: 'https://10.9.9.9',
        serverForPeers: null,
        caPem: null,
        tlsServerName: null,
        tlsVerify: true,
      }
      await stores.commit([
        stores.clusters.change(cluster, { endpoint: moved, driverState: { z: [1, { b: '', a: null }] } }),
      ])
      await stores.integrity.requireCluster((await stores.clusters.get(cluster))!)
      const federation = await newFederation()
      await stores.integrity.requireFederation(federation)
      await stores.commit([stores.federations.change(federation, { properties: { b: 'x', a: '' } })])
      await stores.integrity.requireFederation((await stores.federations.get(federation))!)
    })

    it.each([
      [
        'address',
        {
          endpoint: { server: 'https://evil', serverForPeers: null, caPem: null, tlsServerName: null, tlsVerify: true },
        },
      ],
      ['address for peers', { endpoint: { ...sampleCluster().endpoint!, serverForPeers: 'https://evil' } }],
      ['owner', { userId: 'mallory' }],
      ['driver', { driver: 'eks@1' as const }],
      ['identity', { identity: { uid: 'other', user: 'system:admin' } }],
      ['role', { management: null }],
      ['management cluster', { madeThrough: { projectId: 'blue', id: 'evil' } }],
      ["driver's notes", { driverState: { eks: { name: 'theirs' } } }],
      ['project', { projectId: 'green' }],
      ['id', { id: 'other' }],
    ])('believes no other %s of a cluster', async (_what, change) => {
      const altered = { ...(await newCluster()), ...change }
      await expect(stores.integrity.requireCluster(altered)).rejects.toMatchObject(ALTERED)
    })

    it('lets what changes often and leads nowhere be', async () => {
      const cluster = {
        ...(await newCluster()),
        name: 'other',
        revision: 9,
        status: 'UPDATE_FAILED' as const,
        uses: [],
      }
      await stores.integrity.requireCluster(cluster)
    })

    it.each([
      ['host', { hostClusterId: 'evil' }],
      ['properties', { properties: { 'member-role': 'cluster-admin' } }],
      ['properties in force', { propertiesInForce: {} }],
      ['owner', { userId: 'mallory' }],
      ['driver', { driver: 'karmada@1' as const }],
      ["driver's notes", { driverState: { address: 'evil' } }],
    ])('believes no other %s of a federation', async (_what, change) => {
      const altered = { ...(await newFederation()), ...change }
      await expect(stores.integrity.requireFederation(altered)).rejects.toMatchObject(ALTERED)
    })

    it('believes a membership through all its states, and none of another cluster', async () => {
      const joining = sampleJoining()
      await stores.commit([stores.memberships.insert(joining)])
      const read = (await stores.memberships.get(joining))!
      const { operation: _, ...rest } = joining
      await stores.commit([
        stores.memberships.replace(read, { ...rest, state: 'UnjoinFailed', reason: 'R', message: '' }),
      ])
      const after = (await stores.memberships.get(joining))!
      await stores.integrity.requireMembership(after)
      await expect(stores.integrity.requireMembership({ ...after, clusterId: 'other' })).rejects.toMatchObject(ALTERED)
    })

    it('believes nothing of before, or without its proof', async () => {
      const { integrity: _, ...cluster } = await newCluster()
      await expect(stores.integrity.requireCluster(cluster)).rejects.toMatchObject(ALTERED)
      await expect(stores.integrity.requireCluster({ ...cluster, integrity: '1.AAAA' })).rejects.toMatchObject(ALTERED)
    })

    it('gives no good proof to a change of what was altered before', async () => {
      const altered = { ...(await newCluster()), userId: 'mallory' }
      const commit = stores.commit([stores.clusters.change(altered, { endpoint: null })])
      await expect(commit).rejects.toMatchObject(ALTERED)
      expect(await stores.clusters.get(altered)).toMatchObject({ revision: 1, userId: 'alice' })
    })

    it('writes nothing of it without rights on keys, and all else', async () => {
      const [cluster, federation] = [await newCluster(), await newFederation()]
      subject.denyKeys()
      await expect(stores.commit([stores.clusters.change(cluster, { endpoint: null })])).rejects.toThrow('denied')
      await expect(stores.commit([stores.federations.change(federation, { properties: {} })])).rejects.toThrow('denied')
      await expect(stores.commit([stores.clusters.insert(sampleCluster())])).rejects.toThrow('denied')
      await stores.commit([
        stores.clusters.change(cluster, { status: 'UPDATE_FAILED' }),
        stores.federations.change(federation, { status: 'DELETE_FAILED' }),
      ])
    })
  })
}
