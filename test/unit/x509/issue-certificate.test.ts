import { createPrivateKey, X509Certificate } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CertificateContent, issueCertificate } from '../../../functions/x509/issue-certificate.ts'
import { newAuthority } from '../../../functions/x509/new-authority.ts'
import { AuthorityExpired } from '../../../functions/x509/pem-request.ts'
import type { SigningAuthority } from '../../../functions/x509/sign-request.ts'

const NOW = new Date('2026-11-27T10:00:00Z')
const DAY_SECONDS = 86_400
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1'
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'

let authority: SigningAuthority
beforeAll(async () => {
  authority = await newAuthority('karmada', NOW)
})

const issued = async (content: Partial<CertificateContent>, now = NOW) => {
  const made = await issueCertificate(
    { commonName: 'someone', usages: ['client'], lifetimeSeconds: 10 * DAY_SECONDS, ...content },
    authority,
    now,
  )
  return { ...made, certificate: new X509Certificate(made.certificatePem) }
}

describe('issueCertificate', () => {
  it('is signed by the authority, and no authority itself', async () => {
    const { certificate, privateKey } = await issued({})
    const parent = new X509Certificate(authority.certificatePem)
    expect(certificate.ca).toBe(false)
    expect(certificate.checkIssued(parent)).toBe(true)
    expect(certificate.verify(parent.publicKey)).toBe(true)
    expect(certificate.checkPrivateKey(createPrivateKey(privateKey.reveal()))).toBe(true)
  })

  it('names a user and its groups', async () => {
    const { certificate } = await issued({ commonName: 'system:me', organizations: ['system:masters', 'b'] })
    expect(certificate.subject.split('\n').toSorted()).toEqual(['CN=system:me', 'O=b', 'O=system:masters'])
  })

  it('has DNS names and addresses of both families', async () => {
    const { certificate } = await issued({ names: ['a.example.com', '*.b.example.com', '10.0.0.1', '2001:db8::1'] })
    expect(certificate.checkHost('a.example.com')).toBe('a.example.com')
    expect(certificate.checkHost('x.b.example.com')).toBe('*.b.example.com')
    expect(certificate.checkIP('10.0.0.1')).toBe('10.0.0.1')
    expect(certificate.checkIP('2001:db8::1')).toBe('2001:db8::1')
  })

  it('has no alternative names where none are given', async () => {
    expect((await issued({})).certificate.subjectAltName).toBeUndefined()
  })

  it.each([
    [['server'], [SERVER_AUTH]],
    [['client'], [CLIENT_AUTH]],
    [
      ['server', 'client'],
      [SERVER_AUTH, CLIENT_AUTH],
    ],
  ] as const)('is for %j and nothing else', async (usages, oids) => {
    expect((await issued({ usages })).certificate.keyUsage).toEqual(oids)
  })

  it('is valid from a day ago for its lifetime', async () => {
    const later = new Date(NOW.getTime() + 5 * DAY_SECONDS * 1000)
    const { certificate } = await issued({}, later)
    expect(certificate.validFromDate.toISOString()).toBe('2026-12-01T10:00:00.000Z')
    expect(certificate.validToDate.toISOString()).toBe('2026-12-12T10:00:00.000Z')
  })

  it('ends with the authority at the latest, and is not made after that', async () => {
    const end = new X509Certificate(authority.certificatePem).validToDate
    const before = new Date(end.getTime() - DAY_SECONDS * 1000)
    expect((await issued({}, before)).certificate.validToDate).toEqual(end)
    await expect(issued({}, end)).rejects.toBeInstanceOf(AuthorityExpired)
  })
})
