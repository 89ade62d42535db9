import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto'
import { childrenOf, contentOf, onlyElement, TAG } from './der.ts'
import { bitString, der, namedBits, oid, sequence, time } from './der-writer.ts'

/** Keys of our authorities: P-256, made and used in well under a millisecond, and known to every client. */
export const AUTHORITY_CURVE = 'prime256v1'
const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'))

export const DAY_MS = 86_400_000

/** Bits of keyUsage (RFC 5280 4.2.1.3). */
export const KEY_USAGE = { digitalSignature: 0, keyEncipherment: 2, keyCertSign: 5, cRLSign: 6 } as const

/** Usages of a key (RFC 5280 4.2.1.12). */
export const EXTENDED_KEY_USAGE = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const

/** What a certificate says (RFC 5280 4.1). Names, key and extensions are DER. */
export type CertificateParts = {
  issuer: Uint8Array
  subject: Uint8Array
  spki: Uint8Array
  notBefore: Date
  notAfter: Date
  extensions: readonly Uint8Array[]
}

/** Extension ::= SEQUENCE { OID, critical BOOLEAN DEFAULT FALSE, OCTET STRING } */
const extension = (id: string, value: Uint8Array, critical = false): Buffer =>
  sequence(oid(id), ...(critical ? [der(TAG.boolean, Uint8Array.of(0xff))] : []), der(TAG.octetString, value))

/** An authority may sign certificates, but no other authority: its path length is 0. */
export const basicConstraints = (isAuthority: boolean): Buffer => {
  const authority = [der(TAG.boolean, Uint8Array.of(0xff)), der(TAG.integer, Uint8Array.of(0))]
  return extension('2.5.29.19', sequence(...(isAuthority ? authority : [])), true)
}

export const keyUsage = (bits: readonly boolean[]): Buffer => extension('2.5.29.15', namedBits(bits), true)

export const extendedKeyUsage = (usages: readonly string[]): Buffer =>
  extension('2.5.29.37', sequence(...usages.map(oid)))

export const subjectKeyIdentifier = (identifier: Uint8Array): Buffer =>
  extension('2.5.29.14', der(TAG.octetString, identifier))

export const authorityKeyIdentifier = (identifier: Uint8Array): Buffer =>
  // [0] KeyIdentifier, implicit.
  extension('2.5.29.35', sequence(der(0x80, identifier)))

/** `names` are GeneralNames, DER. */
export const subjectAltName = (names: Uint8Array, critical: boolean): Buffer => extension('2.5.29.17', names, critical)

/** SHA-1 of the key's bits, as everybody computes it (RFC 5280 4.2.1.2); it proves nothing and only tells keys apart. */
export const keyIdentifier = (spki: Uint8Array): Buffer => {
  const key = contentOf(childrenOf(onlyElement(spki), TAG.sequence)[1], TAG.bitString)
  return createHash('sha1').update(key.subarray(1)).digest()
}

/** A random serial number of 127 bits: positive, and without a zero octet in front (RFC 5280 4.1.2.2: at most 20 octets). */
const serialNumber = (): Buffer => {
  const octets = randomBytes(16)
  octets[0] = ((octets[0] ?? 0) & 0x7f) | 0x40
  return der(TAG.integer, octets)
}

/** PEM with lines of 64 characters (RFC 7468). */
const pemOf = (bytes: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`

/** Signs a certificate with a P-256 key and SHA-256. PEM. */
export const issueCertificate = (parts: CertificateParts, key: KeyObject): string => {
  const { issuer, subject, spki, notBefore, notAfter, extensions } = parts
  const signed = sequence(
    // Version 3.
    der(TAG.context0, der(TAG.integer, Uint8Array.of(2))),
    serialNumber(),
    ECDSA_WITH_SHA256,
    issuer,
    sequence(time(notBefore), time(notAfter)),
    subject,
    spki,
    der(TAG.context3, sequence(...extensions)),
  )
  return pemOf(sequence(signed, ECDSA_WITH_SHA256, bitString(sign('sha256', signed, key))))
}
