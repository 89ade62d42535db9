import { createPrivateKey, type webcrypto } from 'node:crypto'
import type { X509Certificate } from '@peculiar/x509'
import type { AuthorityKeys } from '../core/cluster/cluster.ts'
import type { Secret } from '../core/values/secret.ts'

/** Keys of what we issue: P-256, fast to make and to sign with, and known to every client. */
export const LEAF_KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

/** Keys of our authorities, and how they sign. */
export const AUTHORITY_KEYS = {
  ec: LEAF_KEY,
  rsa: {
    name: 'RSASSA-PKCS1-v1_5',
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
    hash: 'SHA-256',
  },
} as const satisfies Record<AuthorityKeys, object>

/** What an authority signs with, by the kind of its key. */
export const signingBy = (
  privateKey: Secret,
): { signingKey: webcrypto.CryptoKey; signingAlgorithm: { name: string; hash: string } } => {
  const key = createPrivateKey(privateKey.reveal())
  const algorithm = AUTHORITY_KEYS[key.asymmetricKeyType === 'rsa' ? 'rsa' : 'ec']
  return { signingKey: key.toCryptoKey(algorithm, false, ['sign']), signingAlgorithm: algorithm }
}

export const DAY_MS = 86_400_000

/** PEM that ends in a line break, so that texts can be joined. */
export const pemOf = (certificate: X509Certificate): string => `${certificate.toString('pem')}\n`
