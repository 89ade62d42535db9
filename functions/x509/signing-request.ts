import type { SigningRequest } from './library/signing-request.ts'

export type { SigningRequest } from './library/signing-request.ts'

/**
 * Reads a PEM certificate signing request (PKCS #10, RFC 2986) and checks everything that a certificate would take from it.
 *
 * @throws SigningRequestRejected, and nothing else whatever the text is
 */
export const readSigningRequest = async (pem: string): Promise<SigningRequest> =>
  (await import('./library/signing-request.ts')).readSigningRequest(pem)
