import type { Secret } from '../domain/secret.ts'
import type { CertificateContent } from './library/issue-certificate.ts'
import type { SigningAuthority } from './library/sign-request.ts'

export type { CertificateContent } from './library/issue-certificate.ts'

/**
 * A certificate and a new P-256 key for it, PEM both, the key as PKCS #8. Never one of an authority.
 *
 * @throws AuthorityExpired
 */
export const issueCertificate = async (
  content: CertificateContent,
  by: SigningAuthority,
  now: Date,
): Promise<{ certificatePem: string; privateKey: Secret }> =>
  (await import('./library/issue-certificate.ts')).issueCertificate(content, by, now)
