import type { AuthorityKeys } from '../domain/certificate-authority.ts'
import type { Secret } from '../domain/secret.ts'

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
): Promise<{ certificatePem: string; privateKey: Secret }> =>
  (await import('./library/new-authority.ts')).newAuthority(name, now, kind)
