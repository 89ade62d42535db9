import 'reflect-metadata'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { inspect } from 'node:util'
import { X509Certificate as ParsedCertificate } from '@peculiar/x509'
import { describe, expect, it } from 'vitest'
import { newAuthority } from '../../../functions/x509/new-authority.ts'

const NOW = new Date('2026-11-27T10:00:00.500Z')

describe('newAuthority', () => {
  it('is self-signed, valid from a day ago for ten years, with the name of the cluster', async () => {
    const { certificatePem } = await newAuthority('blue_1.prod', NOW)
    const certificate = new X509Certificate(certificatePem)
    expect(certificate).toMatchObject({ ca: true, subject: 'CN=blue_1.prod', issuer: 'CN=blue_1.prod' })
    expect(certificate.verify(certificate.publicKey)).toBe(true)
    expect(certificate.validFromDate).toEqual(new Date('2026-11-26T10:00:00Z'))
    expect(certificate.validToDate).toEqual(new Date('2036-11-24T10:00:00Z'))
  })

  it('may sign certificates of clients and servers, and no authority', async () => {
    const { extensions } = new ParsedCertificate((await newAuthority('a', NOW)).certificatePem)
    const facts = Object.fromEntries(extensions.map(({ type, critical, value }) => [type, { critical, value }]))
    expect(facts['2.5.29.19']).toMatchObject({ critical: true })
    expect(Buffer.from(facts['2.5.29.19']!.value).toString('hex')).toBe('30060101ff020100')
    // digitalSignature, keyCertSign, cRLSign
    expect(facts['2.5.29.15']).toMatchObject({ critical: true })
    expect(Buffer.from(facts['2.5.29.15']!.value).toString('hex')).toBe('03020186')
    expect(facts['2.5.29.14']?.value.byteLength).toBe(22)
  })

  it('has a P-256 key of its own, as PKCS #8, which shows nowhere by itself', async () => {
    const made = await newAuthority('a', NOW)
    const key = createPrivateKey(made.privateKey.reveal())
    expect(made.privateKey.reveal()).toMatch(/^-----BEGIN PRIVATE KEY-----\n/)
    expect(key.asymmetricKeyDetails).toEqual({ namedCurve: 'prime256v1' })
    expect(new X509Certificate(made.certificatePem).checkPrivateKey(key)).toBe(true)
    expect(inspect(made) + JSON.stringify(made)).not.toContain('PRIVATE KEY')
  })

  it('gives each another serial number, of up to 128 bits', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => newAuthority('a', NOW)))
    const serials = made.map(({ certificatePem }) => new X509Certificate(certificatePem).serialNumber)
    expect(new Set(serials).size).toBe(20)
    expect(serials.filter((serial) => !/^[0-9A-F]{20,32}$/.test(serial))).toEqual([])
  })

  it.each(['a'.repeat(64), 'a'.repeat(242)])('cuts the name to the 64 characters that X.509 has', async (name) => {
    const { certificatePem } = await newAuthority(name, NOW)
    expect(new X509Certificate(certificatePem).subject).toBe(`CN=${'a'.repeat(64)}`)
  })

  it('may be valid beyond 2049, where X.509 writes time otherwise', async () => {
    const { certificatePem } = await newAuthority('a', new Date('2045-01-01T00:00:00.500Z'))
    const { raw, validToDate } = new X509Certificate(certificatePem)
    expect(validToDate).toEqual(new Date('2054-12-30T00:00:00Z'))
    // Without a fraction (RFC 5280 4.1.2.5.2).
    expect(raw.includes('20541230000000Z')).toBe(true)
  })
})
