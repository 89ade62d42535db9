import { createPublicKey, type KeyObject } from 'node:crypto'
import { SigningRequestRejected } from './errors.ts'
import type { RequestParts, WebAlgorithm } from './parsed-request.ts'

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
export type RequestKey = { type: 'rsa' | 'other'; spki: Buffer<ArrayBuffer> }

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
export const requestKey = ({ key: { algorithm, spki } }: RequestParts): RequestKey => {
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
export const demandPossession = async (parts: RequestParts): Promise<void> => {
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
