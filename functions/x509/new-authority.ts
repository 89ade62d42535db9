import 'reflect-metadata'
import { KeyObject } from 'node:crypto'
import {
  BasicConstraintsExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  Name,
  SubjectKeyIdentifierExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'
import type { AuthorityKeys } from '../core/cluster/cluster.ts'
import { Secret } from '../core/values/secret.ts'
import { AUTHORITY_KEYS, DAY_MS, pemOf } from './certificate.ts'

/** 10 years. */
const LIFETIME_MS = 3650 * DAY_MS

/** Longest common name (RFC 5280 appendix A, ub-common-name); names of clusters may be longer. */
const COMMON_NAME_MAX = 64

const USAGES = KeyUsageFlags.digitalSignature | KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign

/**
 * A self-signed certificate authority, PEM both, the key as PKCS #8. Valid from a day ago, so that clocks may differ, for ten years.
 * It may sign certificates of clients and servers, not other authorities: its path length is 0.
 *
 * @param name its common name: the first 64 characters are used
 * @param kind of its key. Default: P-256
 */
export const newAuthority = async (
  name: string,
  now: Date,
  kind: AuthorityKeys = 'ec',
): Promise<{ certificatePem: string; privateKey: Secret }> => {
  const algorithm = AUTHORITY_KEYS[kind]
  const keys = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: new Name([{ CN: [{ utf8String: name.slice(0, COMMON_NAME_MAX) }] }]),
    notBefore: new Date(now.getTime() - DAY_MS),
    notAfter: new Date(now.getTime() + LIFETIME_MS),
    keys,
    signingAlgorithm: algorithm,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(USAGES, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  const privatePem = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString()
  return { certificatePem: pemOf(certificate), privateKey: new Secret(privatePem) }
}
