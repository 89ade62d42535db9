import type { SigningAuthority } from './library/sign-request.ts'
import type { SigningRequest } from './library/signing-request.ts'

export type { SigningAuthority } from './library/sign-request.ts'

/**
 * Signs a request: subject and public key are the request's, everything else is ours. The certificate is never one of an authority.
 *
 * @returns the certificate, PEM
 * @throws SigningRequestRejected, AuthorityExpired
 */
export const signRequest = async (request: SigningRequest, by: SigningAuthority, now: Date): Promise<string> =>
  (await import('./library/sign-request.ts')).signRequest(request, by, now)
