import 'reflect-metadata'
import { KeyObject } from 'node:crypto'
import { isIP } from 'node:net'
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type Extension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  X509Certificate as ParsedCertificate,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import { Secret } from '../core/values/secret.ts'
import { DAY_MS, LEAF_KEY, pemOf, signingBy } from './certificate.ts'
import { AuthorityExpired } from './pem-request.ts'
import type { SigningAuthority } from './sign-request.ts'

/** What a certificate of ours says. */
export type CertificateContent = {
  /** CN: at most 64 characters. For Kubernetes the user's name. */
  commonName: string
  /** O: for Kubernetes the user's groups. */
  organizations?: readonly string[]
  /** DNS names and IP addresses, for servers. */
  names?: readonly string[]
  usages: readonly ('server' | 'client')[]
  lifetimeSeconds: number
}

const USAGES = { server: ExtendedKeyUsage.serverAuth, client: ExtendedKeyUsage.clientAuth }

/** As UTF-8 text each; the order is that of kubeadm's. */
const subjectOf = ({ commonName, organizations = [] }: CertificateContent): Name =>
  new Name([
    ...organizations.map(
      (organization): Record<string, [{ utf8String: string }]> => ({ O: [{ utf8String: organization }] }),
    ),
    { CN: [{ utf8String: commonName }] },
  ])

const alternativeNames = ({ names = [] }: CertificateContent): Extension[] =>
  names.length === 0
    ? []
    : [
        new SubjectAlternativeNameExtension(
          names.map((name) =>
            isIP(name) === 0 ? { type: 'dns' as const, value: name } : { type: 'ip' as const, value: name },
          ),
        ),
      ]

/** From a day ago, so that clocks may differ; never longer than the authority itself. @throws AuthorityExpired */
const validityOf = (authority: ParsedCertificate, lifetimeSeconds: number, now: Date) => {
  if (authority.notAfter.getTime() <= now.getTime()) {
    throw new AuthorityExpired(`The certificate authority expired at ${authority.notAfter.toISOString()}.`)
  }
  return {
    notBefore: new Date(Math.max(now.getTime() - DAY_MS, authority.notBefore.getTime())),
    notAfter: new Date(Math.min(now.getTime() + lifetimeSeconds * 1000, authority.notAfter.getTime())),
  }
}

/**
 * A certificate and a new P-256 key for it, PEM both, the key as PKCS #8. Never one of an authority.
 *
 * @throws AuthorityExpired
 */
export const issueCertificate = async (
  content: CertificateContent,
  by: SigningAuthority,
  now: Date,
): Promise<{ certificatePem: string; privateKey: Secret }> => {
  const authority = new ParsedCertificate(by.certificatePem)
  const keys = await crypto.subtle.generateKey(LEAF_KEY, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.create({
    issuer: authority.subjectName,
    subject: subjectOf(content),
    publicKey: keys.publicKey,
    ...validityOf(authority, content.lifetimeSeconds, now),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension(content.usages.map((usage) => USAGES[usage])),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(authority.publicKey),
      ...alternativeNames(content),
    ],
    ...signingBy(by.privateKey),
  })
  const privatePem = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString()
  return { certificatePem: pemOf(certificate), privateKey: new Secret(privatePem) }
}
