import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { issueCertificate } from '../../../functions/x509/issue-certificate.ts'
import { newAuthority } from '../../../functions/x509/new-authority.ts'
import { type SigningAuthority, signRequest } from '../../../functions/x509/sign-request.ts'
import { readSigningRequest } from '../../../functions/x509/signing-request.ts'

const NOW = new Date('2026-11-27T10:00:00Z')
const CSR = path.resolve(import.meta.dirname, '../../contract/cases/signing-requests/ec-P-256.pem')

describe('an authority with a key of RSA', () => {
  let authority: SigningAuthority
  beforeAll(async () => {
    authority = await newAuthority('blue', NOW, 'rsa')
  })

  const isOurs = (pem: string): boolean =>
    new X509Certificate(pem).verify(new X509Certificate(authority.certificatePem).publicKey)

  it('has one of 2048 bits', () => {
    const key = createPrivateKey(authority.privateKey.reveal())
    expect([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength]).toEqual(['rsa', 2048])
    expect(new X509Certificate(authority.certificatePem).checkPrivateKey(key)).toBe(true)
  })

  it('issues certificates', async () => {
    const { certificatePem, privateKey } = await issueCertificate(
      { commonName: 'fedplane', usages: ['client'], lifetimeSeconds: 900 },
      authority,
      NOW,
    )
    expect(isOurs(certificatePem)).toBe(true)
    expect(createPrivateKey(privateKey.reveal()).asymmetricKeyType).toBe('ec')
  })

  it('signs requests', async () => {
    const request = await readSigningRequest(readFileSync(CSR, 'utf8'))
    expect(isOurs(await signRequest(request, authority, NOW))).toBe(true)
  })
})
