import { generateKeyPairSync } from 'node:crypto'
import { Secret } from '../domain/secret.ts'
import {
  AUTHORITY_CURVE,
  basicConstraints,
  DAY_MS,
  issueCertificate,
  KEY_USAGE,
  keyIdentifier,
  keyUsage,
  subjectKeyIdentifier,
} from './certificate.ts'
import { TAG } from './der.ts'
import { der, oid, sequence, set } from './der-writer.ts'

/** 10 years. */
const LIFETIME_MS = 3650 * DAY_MS

const COMMON_NAME = '2.5.4.3'
/** Longest common name (RFC 5280 appendix A, ub-common-name); names of clusters may be longer. */
const COMMON_NAME_MAX = 64

const { digitalSignature, keyCertSign, cRLSign } = KEY_USAGE
const USAGE_BITS = Array.from({ length: 7 }, (_, bit) =>
  ([digitalSignature, keyCertSign, cRLSign] as number[]).includes(bit),
)

const commonName = (text: string): Buffer => sequence(set(sequence(oid(COMMON_NAME), der(TAG.utf8, Buffer.from(text)))))

/**
 * A self-signed certificate authority, PEM both, the key as PKCS #8. Valid from a day ago, so that clocks may differ, for ten years.
 * It may sign certificates of clients and servers, not other authorities.
 *
 * @param name its common name: the first 64 characters are used
 */
export const newAuthority = (name: string, now: Date): { certificatePem: string; privateKey: Secret } => {
  // 0.05 ms: cheaper than a way through the thread pool.
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: AUTHORITY_CURVE })
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const subject = commonName(name.slice(0, COMMON_NAME_MAX))
  const certificatePem = issueCertificate(
    {
      issuer: subject,
      subject,
      spki,
      notBefore: new Date(now.getTime() - DAY_MS),
      notAfter: new Date(now.getTime() + LIFETIME_MS),
      extensions: [basicConstraints(true), keyUsage(USAGE_BITS), subjectKeyIdentifier(keyIdentifier(spki))],
    },
    privateKey,
  )
  return { certificatePem, privateKey: new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()) }
}
