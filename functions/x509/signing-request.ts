import type { Name } from '@peculiar/x509'
import { SigningRequestRejected } from './errors.ts'
import { parseRequest } from './parsed-request.ts'
import { derOfPem } from './pem-request.ts'
import { type RequestedExtensions, requestedExtensions } from './request-extensions.ts'
import { demandPossession, type RequestKey, requestKey } from './request-key.ts'
import { demandReadableName } from './request-name.ts'

/** A request whose maker has proved to have the key. */
export type SigningRequest = { subject: Name; key: RequestKey; extensions: RequestedExtensions }

/** True for a subject without attributes. */
export const isNameless = ({ subject }: SigningRequest): boolean => subject.toJSON().length === 0

/**
 * Reads a PEM certificate signing request (PKCS #10, RFC 2986) and checks everything that a certificate would take from it.
 *
 * @throws SigningRequestRejected, and nothing else whatever the text is
 */
export const readSigningRequest = async (pem: string): Promise<SigningRequest> => {
  const parts = parseRequest(derOfPem(pem))
  const key = requestKey(parts)
  await demandPossession(parts)
  demandReadableName(parts.request)
  const extensions = requestedExtensions(parts.extensions)
  const read: SigningRequest = { subject: parts.request.subjectName, key, extensions }
  if (isNameless(read) && extensions.subjectAltName === undefined) {
    throw new SigningRequestRejected('"csr" names nobody: give it a subject, such as "CN=admin", or a subjectAltName.')
  }
  return read
}
