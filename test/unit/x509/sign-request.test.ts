import 'reflect-metadata'
import { X509Certificate } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as ParsedCertificate,
  SubjectKeyIdentifierExtension,
} from '@peculiar/x509'
import { beforeAll, describe, expect, it } from 'vitest'
import { newAuthority } from '../../../functions/x509/new-authority.ts'
import { AuthorityExpired } from '../../../functions/x509/pem-request.ts'
import { type SigningAuthority, signRequest } from '../../../functions/x509/sign-request.ts'
import { readSigningRequest } from '../../../functions/x509/signing-request.ts'
import { attributesWith, der, extension, handMade, nameOf, oid, sequence, set } from '../../support/x509/hand-made.ts'
import { madeRequest } from '../../support/x509/signing-requests.ts'

const NOW = new Date('2026-11-27T10:00:00.500Z')
const YEAR_MS = 365 * 86_400_000

let authority: SigningAuthority
let authorityCertificate: X509Certificate
beforeAll(async () => {
  authority = await newAuthority('blue', NOW)
  authorityCertificate = new X509Certificate(authority.certificatePem)
})

const signed = async (csr: string, now = NOW) => {
  const pem = await signRequest(await readSigningRequest(csr), authority, now)
  return { pem, node: new X509Certificate(pem), parsed: new ParsedCertificate(pem) }
}

const usagesOf = (parsed: ParsedCertificate) => ({
  keyUsage: parsed.getExtension(KeyUsagesExtension)?.usages,
  extended: parsed.getExtension(ExtendedKeyUsageExtension)?.usages,
})

const CLIENT = '1.3.6.1.5.5.7.3.2'
const SERVER = '1.3.6.1.5.5.7.3.1'

describe('signRequest', () => {
  it.each(['rsa-2048-sha256', 'terraform', 'ec-P-256', 'ec-P-521-sha512', 'ed25519', 'ec-P-256-compressed'])(
    'signs %s with the authority, for the subject and key of the request',
    async (name) => {
      const { node, parsed } = await signed(madeRequest(name))
      expect(node.verify(authorityCertificate.publicKey)).toBe(true)
      expect(node.checkIssued(authorityCertificate)).toBe(true)
      expect(node).toMatchObject({ ca: false, issuer: 'CN=blue' })
      expect(node.subject.split('\n')).toEqual(expect.arrayContaining(['CN=admin', 'O=system:masters']))
      expect(parsed.signatureAlgorithm).toMatchObject({ name: 'ECDSA', hash: { name: 'SHA-256' } })
      const { key } = await readSigningRequest(madeRequest(name))
      expect(node.publicKey.export({ type: 'spki', format: 'der' })).toEqual(key.spki)
    },
  )

  it.each([
    ['UTF-8', nameOf('größe ✓ ')],
    ['printable', nameOf('admin x', '2.5.4.3', 0x13)],
    ['IA5', nameOf('a@b.c', '1.2.840.113549.1.9.1', 0x16)],
    ['printable with spaces and signs', nameOf(" '()+,-./:=?", '2.5.4.10', 0x13)],
    [
      'of parts with many values',
      sequence(
        set(
          sequence(oid('2.5.4.11'), der(0x0c, Buffer.from('b'))),
          sequence(oid('2.5.4.3'), der(0x0c, Buffer.from('a'))),
          sequence(oid('2.5.4.11'), der(0x13, Buffer.from('c'))),
        ),
        set(sequence(oid('2.5.4.10'), der(0x0c, Buffer.from('system:masters')))),
        set(sequence(oid('2.5.4.10'), der(0x0c, Buffer.from('#0c01"\\,+')))),
      ),
    ],
    ['of an unknown attribute', nameOf('x', '1.2.3.4.5.6')],
  ])('keeps each byte of a subject that is %s', async (_, subject) => {
    const { parsed } = await signed(handMade({ subject }))
    expect(Buffer.from(parsed.subjectName.toArrayBuffer())).toEqual(subject)
    expect(Buffer.from(parsed.rawData).includes(subject)).toBe(true)
  })

  it('is valid from a day ago for five years', async () => {
    const { node } = await signed(madeRequest('ec-P-256'), new Date(NOW.getTime() + YEAR_MS))
    expect(node.validFromDate).toEqual(new Date('2027-11-26T10:00:00Z'))
    expect(node.validToDate).toEqual(new Date('2032-11-25T10:00:00Z'))
  })

  it('is never valid outside of the time of its authority', async () => {
    const late = await signed(madeRequest('ec-P-256'), new Date(NOW.getTime() + 9 * YEAR_MS))
    expect(late.node.validToDate).toEqual(authorityCertificate.validToDate)
    const early = await signed(madeRequest('ec-P-256'), new Date(NOW.getTime() - 3_600_000))
    expect(early.node.validFromDate).toEqual(authorityCertificate.validFromDate)
  })

  it('refuses to sign with an authority that has expired', async () => {
    const afterwards = new Date(NOW.getTime() + 11 * YEAR_MS)
    await expect(signed(madeRequest('ec-P-256'), afterwards)).rejects.toThrow(AuthorityExpired)
  })

  it('takes over names, usages and key identifier', async () => {
    const { node, parsed } = await signed(madeRequest('server'))
    expect(node.subjectAltName).toBe(
      'DNS:kubernetes.default.svc, DNS:*.example.com, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1, URI:spiffe://example.com/api, email:admin@example.com',
    )
    expect(usagesOf(parsed)).toEqual({
      keyUsage: KeyUsageFlags.digitalSignature | KeyUsageFlags.keyAgreement,
      extended: [SERVER],
    })
    expect(parsed.getExtension(SubjectKeyIdentifierExtension)?.keyId).toBe('0011223344556677')
  })

  it.each([
    ['rsa-2048-sha256', KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment, [CLIENT]],
    ['ed25519', KeyUsageFlags.digitalSignature, [CLIENT]],
    ['names-only', KeyUsageFlags.digitalSignature, [CLIENT, SERVER]],
  ])('gives %s usages, since it asks for none', async (name, keyUsage, extended) => {
    expect(usagesOf((await signed(madeRequest(name))).parsed)).toEqual({ keyUsage, extended })
  })

  it('makes alternative names critical only when there is no subject', async () => {
    const criticalOf = async (name: string) =>
      (await signed(madeRequest(name))).parsed.extensions.find(({ type }) => type === '2.5.29.17')?.critical
    expect([await criticalOf('names-only'), await criticalOf('server')]).toEqual([true, false])
  })

  it('never makes an authority, whatever is asked for', async () => {
    const { node, parsed } = await signed(madeRequest('wants-authority'))
    expect(node.ca).toBe(false)
    // OpenSSL's `ca` also checks the key usage; the mark itself must be absent too.
    expect(parsed.getExtension(BasicConstraintsExtension)).toMatchObject({ ca: false, critical: true })
    expect(parsed.extensions.map(({ type }) => type).sort()).toEqual([
      '2.5.29.14',
      '2.5.29.15',
      '2.5.29.19',
      '2.5.29.35',
      '2.5.29.37',
    ])
    expect(usagesOf(parsed)).toEqual({ keyUsage: KeyUsageFlags.digitalSignature, extended: [CLIENT] })
  })

  it('drops single usages of an authority and keeps the rest', async () => {
    const attributes = attributesWith(
      extension('2.5.29.15', der(0x03, [6, 0b1010_0110, 0b0100_0000])),
      extension('2.5.29.37', sequence(oid('1.3.6.1.5.5.7.3.9'), oid(CLIENT), oid('1.2.3.4'))),
    )
    expect(usagesOf((await signed(handMade({ attributes }))).parsed)).toEqual({
      keyUsage: KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment,
      extended: [CLIENT, '1.2.3.4'],
    })
  })

  it('names the key of its authority', async () => {
    const { parsed } = await signed(madeRequest('ec-P-256'))
    const own = new ParsedCertificate(authority.certificatePem).getExtension(SubjectKeyIdentifierExtension)
    expect(parsed.getExtension(AuthorityKeyIdentifierExtension)?.keyId).toBe(own?.keyId)
  })

  it('gives each certificate another serial number', async () => {
    const made = await Promise.all(Array.from({ length: 10 }, () => signed(madeRequest('ec-P-256'))))
    expect(new Set(made.map(({ node }) => node.serialNumber)).size).toBe(10)
  })
})
