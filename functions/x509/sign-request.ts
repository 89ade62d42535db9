import 'reflect-metadata'
import { X509Certificate } from 'node:crypto'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  X509Certificate as ParsedCertificate,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { Secret } from '../core/values/secret.ts'
import { DAY_MS, pemOf, signingBy } from './certificate.ts'
import { AuthorityExpired, SigningRequestRejected } from './pem-request.ts'
import { isNameless, type SigningRequest } from './signing-request.ts'

/** 5 years (magnum-rest.md 7.1). */
const LIFETIME_MS = 5 * 365 * DAY_MS

/** The authority that signs: PEM both, the key of P-256. */
export type SigningAuthority = { certificatePem: string; privateKey: Secret }

/** For TLS: signatures, and with RSA also the key exchange of older clients. */
const defaultKeyUsage = ({ key }: SigningRequest): KeyUsageFlags =>
  KeyUsageFlags.digitalSignature | (key.type === 'rsa' ? KeyUsageFlags.keyEncipherment : 0)

/** Clients of an API server need `clientAuth`; who has names may be a server too. `openstack coe cluster config` asks for none. */
const defaultExtendedKeyUsage = ({ extensions }: SigningRequest): string[] => [
  ExtendedKeyUsage.clientAuth,
  ...(extensions.subjectAltName === undefined ? [] : [ExtendedKeyUsage.serverAuth]),
]

const subjectKeyIdentifier = async ({ key, extensions }: SigningRequest): Promise<Extension> =>
  extensions.subjectKeyIdentifier === undefined
    ? SubjectKeyIdentifierExtension.create(key.spki)
    : new SubjectKeyIdentifierExtension(extensions.subjectKeyIdentifier)

/** Alternative names are critical when there is no other name (RFC 5280 4.2.1.6). */
const alternativeNames = (request: SigningRequest): Extension[] => {
  const { subjectAltName } = request.extensions
  return subjectAltName === undefined ? [] : [new SubjectAlternativeNameExtension(subjectAltName, isNameless(request))]
}

const extensionsOf = async (request: SigningRequest, authority: ParsedCertificate): Promise<Extension[]> => {
  const { keyUsage, extendedKeyUsage } = request.extensions
  return [
    new BasicConstraintsExtension(false, undefined, true),
    new KeyUsagesExtension(keyUsage ?? defaultKeyUsage(request), true),
    new ExtendedKeyUsageExtension(extendedKeyUsage ?? defaultExtendedKeyUsage(request)),
    await subjectKeyIdentifier(request),
    await AuthorityKeyIdentifierExtension.create(authority.publicKey),
    ...alternativeNames(request),
  ]
}

/** From a day ago, so that clocks may differ, for five years; never longer than the authority itself. @throws AuthorityExpired */
const validityOf = ({ notBefore, notAfter }: ParsedCertificate, now: Date): { notBefore: Date; notAfter: Date } => {
  if (notAfter.getTime() <= now.getTime()) {
    throw new AuthorityExpired(
      `The certificate authority expired at ${notAfter.toISOString()}. Replace it: PATCH /v1/certificates/{cluster}.`,
    )
  }
  return {
    notBefore: new Date(Math.max(now.getTime() - DAY_MS, notBefore.getTime())),
    notAfter: new Date(Math.min(now.getTime() + LIFETIME_MS, notAfter.getTime())),
  }
}

/** Another implementation must read and verify what leaves here. @throws SigningRequestRejected */
const requireSound = (pem: string, authorityPem: string): void => {
  let isSound = false
  let cause: unknown
  try {
    const authority = new X509Certificate(authorityPem)
    const made = new X509Certificate(pem)
    isSound = !made.ca && made.checkIssued(authority) && made.verify(authority.publicKey)
  } catch (error) {
    cause = error
  }
  if (isSound) return
  throw new SigningRequestRejected(
    '"csr" can\'t be put into a certificate that clients can read. Make it anew with plain values.',
    { cause },
  )
}

/**
 * Signs a request: subject and public key are the request's, everything else is ours. The certificate is never one of an authority.
 *
 * @returns the certificate, PEM
 * @throws SigningRequestRejected, AuthorityExpired
 */
export const signRequest = async (request: SigningRequest, by: SigningAuthority, now: Date): Promise<string> => {
  const authority = new ParsedCertificate(by.certificatePem)
  const certificate = await X509CertificateGenerator.create({
    issuer: authority.subjectName,
    subject: request.subject,
    publicKey: request.key.spki,
    ...validityOf(authority, now),
    extensions: await extensionsOf(request, authority),
    ...signingBy(by.privateKey),
  })
  const pem = pemOf(certificate)
  requireSound(pem, by.certificatePem)
  return pem
}
