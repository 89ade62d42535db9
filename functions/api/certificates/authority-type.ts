import type { AuthorityType } from '../../core/values/certificate-authority.ts'

const TYPES = new Map<string, AuthorityType>([
  ['kubernetes', 'kubernetes'],
  ['etcd', 'etcd'],
  ['front-proxy', 'front-proxy'],
  ['front_proxy', 'front-proxy'],
])

/** The authority that `ca_cert_type` names: absent and unknown ones are the API server's (magnum-rest.md 7.1). */
export const authorityTypeOf = (text: string | undefined): AuthorityType => TYPES.get(text ?? '') ?? 'kubernetes'
