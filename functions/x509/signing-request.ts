import { Name } from '@peculiar/x509'
import {
  type NameAttribute,
  type ParsedRequest,
  parseRequest,
  type RequestedExtensions,
  type RequestParts,
  requestedExtensions,
  type WebAlgorithm,
} from './parsed-request.ts'
import { derOfPem, SigningRequestRejected } from './pem-request.ts'
import 'reflect-metadata'
import { createPublicKey, type KeyObject } from 'node:crypto'
import { isShownAsIs } from '../core/values/wording.ts'

/** Names as WebCrypto has them. */
const RSA = 'RSASSA-PKCS1-v1_5'
const EC = 'ECDSA'
const ED25519 = 'Ed25519'
/** What the library calls an EC key on a curve that it does not know, or one that is spelt out. */
const OTHER_EC = '1.2.840.10045.2.1'

const CURVES: readonly string[] = ['P-256', 'P-384', 'P-521']
/** Not MD5, not SHA-1. */
const HASHES: readonly string[] = ['SHA-256', 'SHA-384', 'SHA-512']

const RSA_BITS_MIN = 2048
/** More only costs time: a CA of P-256 is the weaker part long before. */
const RSA_BITS_MAX = 8192

const ALLOWED = 'Use RSA with 2048 to 8192 bits, EC on P-256, P-384 or P-521, or Ed25519.'

/** A key that we certify. */
type RequestKey = { type: 'rsa' | 'other'; spki: Buffer<ArrayBuffer> }

const rsaFault = ({
  asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {},
}: KeyObject): string | null => {
  if (modulusLength < RSA_BITS_MIN) return `has an RSA key of ${modulusLength} bits, which is too weak`
  if (modulusLength > RSA_BITS_MAX) return `has an RSA key of ${modulusLength} bits, which is too long`
  // kube-apiserver reads exponents of up to 31 bits.
  const isUsual = publicExponent >= 3n && publicExponent % 2n === 1n && publicExponent < 2n ** 31n
  return isUsual ? null : 'has an RSA key with an unusual exponent'
}

const keyFault = ({ name, namedCurve = '' }: WebAlgorithm, key: KeyObject): string | null => {
  if (name === RSA) return rsaFault(key)
  if (name === ED25519 || (name === EC && CURVES.includes(namedCurve))) return null
  return name === EC || name === OTHER_EC
    ? 'has a key on a curve that is not supported'
    : 'has a key of a type that is not supported'
}

const readKey = (spki: ArrayBuffer): KeyObject => {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  } catch (cause) {
    throw new SigningRequestRejected(`"csr" has a public key that can't be read. ${ALLOWED}`, { cause })
  }
}

/** SubjectPublicKeyInfo as every client reads it: with an uncompressed point, however the request wrote the key. */
const plainSpki = (key: KeyObject): Buffer<ArrayBuffer> =>
  createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' }).export({ format: 'der', type: 'spki' })

/** The request's public key, if it is of a kind that we certify. @throws SigningRequestRejected */
const requestKey = ({ key: { algorithm, spki } }: RequestParts): RequestKey => {
  const key = readKey(spki)
  const fault = keyFault(algorithm, key)
  if (fault !== null) throw new SigningRequestRejected(`"csr" ${fault}. ${ALLOWED}`)
  return { type: algorithm.name === RSA ? 'rsa' : 'other', spki: plainSpki(key) }
}

const verifies = async ({ request }: RequestParts): Promise<boolean> => {
  try {
    return await request.verify()
  } catch {
    // For a signature that has not the form of one.
    return false
  }
}

/** Demands that whoever made the request has the private key. @throws SigningRequestRejected */
const requirePossession = async (parts: RequestParts): Promise<void> => {
  const { name, hash } = parts.signatureAlgorithm
  const isAllowed = name === parts.key.algorithm.name && (name === ED25519 || HASHES.includes(hash?.name ?? ''))
  if (!isAllowed) {
    throw new SigningRequestRejected(
      '"csr" is signed with an algorithm that is not supported. Sign it with SHA-256, SHA-384 or SHA-512 (RSA with PKCS #1 padding, or ECDSA), or with Ed25519.',
    )
  }
  if (!(await verifies(parts))) {
    throw new SigningRequestRejected(
      '"csr" is not signed with the private key that belongs to its public key. Make it anew with that key.',
    )
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: IA5String is all of ASCII.
const IA5 = /^[\x00-\x7f]*$/

/**
 * Characters that a value may have at most, by the attribute's type: upper bounds of RFC 5280 appendix A.1. Those of other types, names of
 * persons mostly, are beyond what a request can hold.
 */
const LENGTHS: ReadonlyMap<string, { name: string; max: number }> = new Map([
  ['2.5.4.3', { name: 'CN', max: 64 }],
  ['2.5.4.5', { name: 'serialNumber', max: 64 }],
  ['2.5.4.6', { name: 'C', max: 2 }],
  ['2.5.4.7', { name: 'L', max: 128 }],
  ['2.5.4.8', { name: 'ST', max: 128 }],
  ['2.5.4.10', { name: 'O', max: 64 }],
  ['2.5.4.11', { name: 'OU', max: 64 }],
  ['2.5.4.12', { name: 'title', max: 64 }],
  ['2.5.4.65', { name: 'pseudonym', max: 128 }],
  ['1.2.840.113549.1.9.1', { name: 'emailAddress', max: 255 }],
])

const lengthFault = (type: string, text: string): string | null => {
  const limit = LENGTHS.get(type)
  const length = [...text].length
  if (limit === undefined || length <= limit.max) return null
  return `a value of ${length} characters for ${limit.name}, which has at most ${limit.max} (RFC 5280)`
}

/** What Go's parser, and so kube-apiserver, does not take; what is longer than allowed, or does not show. That UTF-8 is UTF-8 has been seen. */
const faultOf = ({ type, text: { utf8String, printableString, ia5String } }: NameAttribute): string | null => {
  const text = utf8String ?? printableString ?? ia5String
  if (text === undefined) return 'a value of a type that is not supported'
  if (text === '') return 'an empty value'
  const isGood = Name.isPrintableString(printableString ?? '') && IA5.test(ia5String ?? '')
  if (!isGood) return 'a value that its type does not allow'
  if (!isShownAsIs(text)) return 'control characters, or characters that change the direction of writing'
  return lengthFault(type, text)
}

/**
 * Demands a distinguished name that every client reads. It may be empty.
 *
 * @throws SigningRequestRejected
 */
const requireReadableName = ({ subjectAttributes }: ParsedRequest): void => {
  const fault = subjectAttributes
    .flatMap((part) => (part.length === 0 ? 'a part without attributes' : part.map(faultOf)))
    .find((found) => found !== null)
  if (fault === undefined) return
  throw new SigningRequestRejected(
    `"csr" has a subject with ${fault}. Write it as UTF-8 text, such as "CN=admin, O=system:masters".`,
  )
}

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
  await requirePossession(parts)
  requireReadableName(parts.request)
  const extensions = requestedExtensions(parts.extensions)
  const read: SigningRequest = { subject: parts.request.subjectName, key, extensions }
  if (isNameless(read) && extensions.subjectAltName === undefined) {
    throw new SigningRequestRejected('"csr" names nobody: give it a subject, such as "CN=admin", or a subjectAltName.')
  }
  return read
}
