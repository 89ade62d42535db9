/** Certificate authorities of a cluster, by `ca_cert_type` (magnum-rest.md 7.1). */
export const AUTHORITIES = ['kubernetes', 'etcd', 'front-proxy'] as const
export type AuthorityType = (typeof AUTHORITIES)[number]
