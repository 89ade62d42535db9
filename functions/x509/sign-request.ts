import { createPrivateKey, X509Certificate } from 'node:crypto'
import type { Secret } from '../domain/secret.ts'
import {
  authorityKeyIdentifier,
  basicConstraints,
  DAY_MS,
  EXTENDED_KEY_USAGE,
  extendedKeyUsage,
  issueCertificate,
  KEY_USAGE,
  keyIdentifier,
  keyUsage,
  subjectAltName,
  subjectKeyIdentifier,
} from './certificate.ts'
import { childrenOf, onlyElement, TAG, wrongStructure } from './der.ts'
import { AuthorityExpired, SigningRequestRejected } from './errors.ts'
import type { SigningRequest } from './signing-request.ts'

/** 5 years (magnum-rest.md 7.1). */
const LIFETIME_MS = 5 * 365 * DAY_MS

/** Position of the subject in a certificate of version 3, behind version, serial number, algorithm, issuer and validity. */
const SUBJECT_INDEX = 5

/** The authority that signs: PEM both, the key of P-256. */
export type SigningAuthority = { certificatePem: string; privateKey: Secret }

const subjectOf = (certificate: X509Certificate): Uint8Array => {
  const [signed] = childrenOf(onlyElement(certificate.raw), TAG.sequence)
  const subject = childrenOf(signed, TAG.sequence)[SUBJECT_INDEX]
  if (subject === undefined) throw wrongStructure()
  return subject.bytes
}

/** For TLS: signatures, and with RSA also the key exchange of older clients. */
const defaultKeyUsage = ({ keyType }: SigningRequest): boolean[] => {
  const bits: boolean[] = [false, false, false]
  bits[KEY_USAGE.digitalSignature] = true
  bits[KEY_USAGE.keyEncipherment] = keyType === 'rsa'
  return bits
}

/** Clients of an API server need `clientAuth`; who has names may be a server too. `openstack coe cluster config` asks for none. */
const defaultExtendedKeyUsage = ({ extensions }: SigningRequest): string[] => [
  EXTENDED_KEY_USAGE.clientAuth,
  ...(extensions.subjectAltName === undefined ? [] : [EXTENDED_KEY_USAGE.serverAuth]),
]

/** Alternative names are critical when there is no other name (RFC 5280 4.2.1.6). */
const alternativeNames = ({ subject, extensions }: SigningRequest): Buffer[] => {
  const isNameless = subject.length === 2
  return extensions.subjectAltName === undefined ? [] : [subjectAltName(extensions.subjectAltName, isNameless)]
}

const extensionsOf = (request: SigningRequest, authority: X509Certificate): Buffer[] => {
  const { extensions, publicKey } = request
  const authorityKey = authority.publicKey.export({ type: 'spki', format: 'der' })
  return [
    basicConstraints(false),
    keyUsage(extensions.keyUsage ?? defaultKeyUsage(request)),
    extendedKeyUsage(extensions.extendedKeyUsage ?? defaultExtendedKeyUsage(request)),
    subjectKeyIdentifier(extensions.subjectKeyIdentifier ?? keyIdentifier(publicKey)),
    authorityKeyIdentifier(keyIdentifier(authorityKey)),
    ...alternativeNames(request),
  ]
}

/** From a day ago, so that clocks may differ, for five years; never longer than the authority itself. @throws AuthorityExpired */
const validityOf = (authority: X509Certificate, now: Date): { notBefore: Date; notAfter: Date } => {
  const { validFromDate, validToDate } = authority
  if (validToDate.getTime() <= now.getTime()) {
    throw new AuthorityExpired(
      `The certificate authority expired at ${validToDate.toISOString()}. Replace it: PATCH /v1/certificates/{cluster}.`,
    )
  }
  return {
    notBefore: new Date(Math.max(now.getTime() - DAY_MS, validFromDate.getTime())),
    notAfter: new Date(Math.min(now.getTime() + LIFETIME_MS, validToDate.getTime())),
  }
}

/** Another implementation must read what leaves here. */
const isSound = (pem: string, authority: X509Certificate): boolean => {
  const made = new X509Certificate(pem)
  return !made.ca && made.checkIssued(authority) && made.verify(authority.publicKey)
}

/**
 * Signs a request: subject and public key are the request's, everything else is ours. The certificate is never one of an authority.
 *
 * @returns the certificate, PEM
 * @throws SigningRequestRejected, AuthorityExpired
 */
export const signRequest = (request: SigningRequest, by: SigningAuthority, now: Date): string => {
  const authority = new X509Certificate(by.certificatePem)
  const pem = issueCertificate(
    {
      issuer: subjectOf(authority),
      subject: request.subject,
      spki: request.publicKey,
      ...validityOf(authority, now),
      extensions: extensionsOf(request, authority),
    },
    createPrivateKey(by.privateKey.reveal()),
  )
  if (isSound(pem, authority)) return pem
  throw new SigningRequestRejected(
    '"csr" can\'t be put into a certificate that clients can read. Make it anew with plain values.',
  )
}
