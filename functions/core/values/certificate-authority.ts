/** Certificate authorities of a cluster, by `ca_cert_type` (magnum-rest.md 7.1). */
export const AUTHORITIES = ['kubernetes', 'etcd', 'front-proxy'] as const
export type AuthorityType = (typeof AUTHORITIES)[number]

/** Kinds of keys that authorities have: P-256, fast to make and to sign with, or RSA of 2048 bits for what knows nothing else. */
export type AuthorityKeys = 'ec' | 'rsa'
