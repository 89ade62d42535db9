import 'reflect-metadata'
import type { webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const
const DAY_MS = 86_400_000

/** A P-256 key and its certificate, PEM. The key is PKCS #8. */
export type KeyPair = { certificatePem: string; keyPem: string }

/** An authority that lives in this process only. */
export type Authority = KeyPair & { issue(subject: LeafSubject): Promise<KeyPair> }

export type LeafSubject = {
  commonName: string
  /** Becomes the group in a Kubernetes client certificate. */
  organization?: string
  dnsNames?: readonly string[]
  ipAddresses?: readonly string[]
}

const toPem = (label: string, der: ArrayBuffer): string => x509.PemConverter.encode(der, label)

/** A new P-256 key pair, PEM: PKCS #8 and SubjectPublicKeyInfo. */
export const newKeyPair = async (): Promise<{
  keys: webcrypto.CryptoKeyPair
  privatePem: string
  publicPem: string
}> => {
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify'])
  return {
    keys,
    privatePem: toPem('PRIVATE KEY', await crypto.subtle.exportKey('pkcs8', keys.privateKey)),
    publicPem: toPem('PUBLIC KEY', await crypto.subtle.exportKey('spki', keys.publicKey)),
  }
}

const validity = () => ({ notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + 30 * DAY_MS) })

/** A random 127-bit serial number, hex: positive, so that DER needs no padding. */
const serialNumber = (): string => {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x40
  return Buffer.from(bytes).toString('hex')
}

const leafExtensions = async ({ dnsNames = [], ipAddresses = [] }: LeafSubject, key: webcrypto.CryptoKey) => {
  const names = [
    ...dnsNames.map((value) => ({ type: 'dns' as const, value })),
    ...ipAddresses.map((value) => ({ type: 'ip' as const, value })),
  ]
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth, x509.ExtendedKeyUsage.clientAuth]),
    await x509.SubjectKeyIdentifierExtension.create(key),
    ...(names.length > 0 ? [new x509.SubjectAlternativeNameExtension(names)] : []),
  ]
}

/** A self-signed authority, valid 30 days. For clusters of a demo or test only. */
export const newAuthority = async (commonName: string): Promise<Authority> => {
  const { keys, privatePem } = await newKeyPair()
  const issuer = new x509.Name([{ CN: [commonName] }])
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: issuer.toString(),
    ...validity(),
    keys,
    signingAlgorithm: ALGORITHM,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const issue = async (subject: LeafSubject): Promise<KeyPair> => {
    const leaf = await newKeyPair()
    const { organization, commonName: name } = subject
    const made = await x509.X509CertificateGenerator.create({
      serialNumber: serialNumber(),
      issuer: certificate.subject,
      subject: new x509.Name([
        ...(organization === undefined ? [] : [{ O: [organization] }]),
        { CN: [name] },
      ]).toString(),
      ...validity(),
      publicKey: leaf.keys.publicKey,
      signingKey: keys.privateKey,
      signingAlgorithm: ALGORITHM,
      extensions: await leafExtensions(subject, leaf.keys.publicKey),
    })
    return { certificatePem: made.toString('pem'), keyPem: leaf.privatePem }
  }
  return { certificatePem: certificate.toString('pem'), keyPem: privatePem, issue }
}
