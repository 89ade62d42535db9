import { afterAll, beforeAll, expect, it } from 'vitest'
import { AUTHORITIES, type AuthorityType } from '../../../functions/core/cluster/cluster.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import type { AuthorityKey } from '../../../functions/store/credential.store.ts'
import type { Stores } from '../../../functions/store/stores.ts'
import type { ContractSubject, MakeSubject } from '../../support/store/contract-subject.ts'
import { sampleCluster, sampleId } from '../../support/store/samples.ts'

const MARKER = 'marker-77ac01d2'

/** What every implementation of `CertificateStore` does. */
export const certificateStoreContract = (make: MakeSubject): void => {
  let subject: ContractSubject
  let stores: Stores
  beforeAll(async () => {
    subject = await make()
    stores = subject.stores
  })
  afterAll(() => subject.dispose())

  const keyOf = (changes: Partial<AuthorityKey> = {}): AuthorityKey => ({
    projectId: 'blue',
    clusterId: sampleId(),
    type: 'kubernetes',
    candidate: false,
    ...changes,
  })
  const seal = (key: AuthorityKey, name: string) =>
    stores.certificates.seal(key, { certificatePem: `certificate ${name}`, privateKey: new Secret(`key ${name}`) })
  const opened = async (key: AuthorityKey) => {
    const material = await stores.certificates.open(key)
    return material === undefined ? undefined : [material.certificatePem, material.privateKey.reveal()]
  }

  it('keeps three authorities of a cluster and their candidates apart', async () => {
    const clusterId = sampleId()
    const keys = AUTHORITIES.flatMap((type: AuthorityType) =>
      [false, true].map((candidate) => keyOf({ clusterId, type, candidate })),
    )
    await stores.commit(await Promise.all(keys.map((key, index) => seal(key, `${index}`))))
    for (const [index, key] of keys.entries()) {
      expect(await opened(key)).toEqual([`certificate ${index}`, `key ${index}`])
      expect(await stores.certificates.certificate(key)).toBe(`certificate ${index}`)
    }
  })

  it('finds nothing under another project or cluster', async () => {
    const key = keyOf()
    await stores.commit([await seal(key, 'a')])
    for (const other of [{ projectId: 'green' }, { clusterId: sampleId() }, { candidate: true }]) {
      expect(await stores.certificates.certificate({ ...key, ...other })).toBeUndefined()
      expect(await stores.certificates.open({ ...key, ...other })).toBeUndefined()
    }
  })

  it('replaces and removes; absent is no error', async () => {
    const key = keyOf()
    await stores.commit([await seal(key, 'first')])
    await stores.commit([await seal(key, 'second')])
    expect(await opened(key)).toEqual(['certificate second', 'key second'])
    await stores.commit([stores.certificates.remove(key)])
    await stores.commit([stores.certificates.remove(key)])
    expect(await opened(key)).toBeUndefined()
  })

  it('stores with the commit that it is part of, or not at all', async () => {
    const cluster = sampleCluster()
    const key = keyOf({ clusterId: cluster.id })
    await stores.commit([stores.clusters.insert(cluster)])
    const commit = stores.commit([await seal(key, 'a'), stores.clusters.insert(cluster)])
    await expect(commit).rejects.toMatchObject({ name: 'AlreadyExists' })
    expect(await stores.certificates.certificate(key)).toBeUndefined()
  })

  it('gives certificates to readers without key rights', async () => {
    const [key, fresh] = [keyOf(), await make()]
    await fresh.stores.commit([
      await fresh.stores.certificates.seal(key, { certificatePem: 'pem', privateKey: new Secret('key') }),
    ])
    fresh.denyKeys()
    expect(await fresh.stores.certificates.certificate(key)).toBe('pem')
    await expect(fresh.stores.certificates.open(key)).rejects.toThrow('denied')
    await fresh.dispose()
  })

  it('never shows a private key in what is stored, and shows the certificate', async () => {
    const key = keyOf()
    const material = { certificatePem: 'visible-certificate', privateKey: new Secret(MARKER) }
    await stores.commit([await stores.certificates.seal(key, material)])
    const dump = await subject.dump()
    expect(dump).toContain('visible-certificate')
    expect(dump).not.toContain(MARKER)
    expect(dump).not.toContain(Buffer.from(MARKER).toString('base64'))
    expect((await opened(key))?.[1]).toBe(MARKER)
  })
}
