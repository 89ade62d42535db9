import type { X509Certificate } from '@peculiar/x509'

/** Keys of our authorities: P-256, fast to make and to sign with, and known to every client. */
export const AUTHORITY_KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const

export const DAY_MS = 86_400_000

/** PEM that ends in a line break, so that texts can be joined. */
export const pemOf = (certificate: X509Certificate): string => `${certificate.toString('pem')}\n`
