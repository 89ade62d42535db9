import { childrenOf, contentOf, type Der, oidOf, onlyElement, TAG, wrongStructure } from './der.ts'
import { SigningRequestRejected } from './errors.ts'
import { derOfPem } from './pem-request.ts'
import { type RequestedExtensions, requestedExtensions } from './request-extensions.ts'
import { demandPossession, plainSpki, requestKey } from './request-key.ts'
import { demandReadableName } from './request-name.ts'

/** A request whose maker has proved to have the key. */
export type SigningRequest = {
  /** Distinguished name, DER. */
  subject: Uint8Array
  /** SubjectPublicKeyInfo, DER. */
  publicKey: Uint8Array
  keyType: 'rsa' | 'other'
  extensions: RequestedExtensions
}

/** `elements` are version, subject, public key and attributes. RFC 2986 wants attributes even when there are none; some leave them out. */
const readInfo = (info: Der): { subject: Der; spki: Der; attributes: Der | undefined } => {
  const [version, subject, spki, attributes, ...others] = childrenOf(info, TAG.sequence)
  contentOf(version, TAG.integer)
  if (subject === undefined || spki === undefined || others.length > 0) throw wrongStructure()
  return { subject, spki, attributes }
}

const signatureOctets = (element: Der): Uint8Array => {
  const [unusedBits, ...octets] = contentOf(element, TAG.bitString)
  if (unusedBits !== 0) throw wrongStructure()
  return Uint8Array.from(octets)
}

/**
 * Reads a PEM certificate signing request (PKCS #10, RFC 2986) and checks everything that a certificate would take from it.
 *
 * @throws SigningRequestRejected, and nothing else whatever the text is
 */
export const readSigningRequest = (pem: string): SigningRequest => {
  const [info, algorithm, signature, ...others] = childrenOf(onlyElement(derOfPem(pem)), TAG.sequence)
  if (info === undefined || signature === undefined || others.length > 0) throw wrongStructure()
  const oid = oidOf(childrenOf(algorithm, TAG.sequence)[0])
  const { subject, spki, attributes } = readInfo(info)
  const key = requestKey(spki.bytes)
  demandPossession(key, { oid, signed: info.bytes, signature: signatureOctets(signature) })
  demandReadableName(subject)
  const extensions = attributes === undefined ? {} : requestedExtensions(attributes)
  if (subject.content.length === 0 && extensions.subjectAltName === undefined) {
    throw new SigningRequestRejected('"csr" names nobody: give it a subject, such as "CN=admin", or a subjectAltName.')
  }
  return {
    subject: subject.bytes,
    publicKey: plainSpki(key),
    keyType: key.asymmetricKeyType === 'rsa' ? 'rsa' : 'other',
    extensions,
  }
}
