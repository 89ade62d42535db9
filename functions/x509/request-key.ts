import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import { SigningRequestRejected } from './errors.ts'

const RSA = { type: 'rsa', name: 'RSA' } as const
const EC = { type: 'ec', name: 'EC' } as const

/** Signatures of requests by object identifier (RFC 4055, 5758, 8410). MD5 and SHA-1 are not among them. */
const SIGNATURES: Readonly<Record<string, { type: string; hash: string | null }>> = {
  '1.2.840.113549.1.1.11': { type: RSA.type, hash: 'sha256' },
  '1.2.840.113549.1.1.12': { type: RSA.type, hash: 'sha384' },
  '1.2.840.113549.1.1.13': { type: RSA.type, hash: 'sha512' },
  '1.2.840.10045.4.3.2': { type: EC.type, hash: 'sha256' },
  '1.2.840.10045.4.3.3': { type: EC.type, hash: 'sha384' },
  '1.2.840.10045.4.3.4': { type: EC.type, hash: 'sha512' },
  '1.3.101.112': { type: 'ed25519', hash: null },
}

const RSA_BITS_MIN = 2048
/** More only costs time: a CA of P-256 is the weaker part long before. */
const RSA_BITS_MAX = 8192
const CURVES: readonly (string | undefined)[] = ['prime256v1', 'secp384r1', 'secp521r1']

const ALLOWED = 'Use RSA with 2048 to 8192 bits, EC on P-256, P-384 or P-521, or Ed25519.'

const rsaFault = ({
  asymmetricKeyDetails: { modulusLength = 0, publicExponent = 0n } = {},
}: KeyObject): string | null => {
  if (modulusLength < RSA_BITS_MIN) return `has an RSA key of ${modulusLength} bits, which is too weak`
  if (modulusLength > RSA_BITS_MAX) return `has an RSA key of ${modulusLength} bits, which is too long`
  // kube-apiserver reads exponents of up to 31 bits.
  const isUsual = publicExponent >= 3n && publicExponent % 2n === 1n && publicExponent < 2n ** 31n
  return isUsual ? null : 'has an RSA key with an unusual exponent'
}

const keyFault = (key: KeyObject): string | null => {
  if (key.asymmetricKeyType === 'rsa') return rsaFault(key)
  if (key.asymmetricKeyType === 'ed25519') return null
  if (key.asymmetricKeyType !== 'ec') return 'has a key of a type that is not supported'
  return CURVES.includes(key.asymmetricKeyDetails?.namedCurve) ? null : 'has a key on a curve that is not supported'
}

const readKey = (spki: Uint8Array): KeyObject => {
  try {
    return createPublicKey({ key: Buffer.from(spki), format: 'der', type: 'spki' })
  } catch (cause) {
    throw new SigningRequestRejected(`"csr" has a public key that can't be read. ${ALLOWED}`, { cause })
  }
}

/**
 * The request's public key, if it is of a kind that we certify.
 *
 * @param spki SubjectPublicKeyInfo, DER
 * @throws SigningRequestRejected
 */
export const requestKey = (spki: Uint8Array): KeyObject => {
  const key = readKey(spki)
  const fault = keyFault(key)
  if (fault !== null) throw new SigningRequestRejected(`"csr" ${fault}. ${ALLOWED}`)
  return key
}

/** SubjectPublicKeyInfo as every client reads it: a named curve, an uncompressed point, however the request wrote the key. */
export const plainSpki = (key: KeyObject): Buffer =>
  createPublicKey({ key: key.export({ format: 'jwk' }), format: 'jwk' }).export({ format: 'der', type: 'spki' })

/** What a request says of its own signature. */
export type RequestSignature = { oid: string; signed: Uint8Array; signature: Uint8Array }

const holds = (key: KeyObject, hash: string | null, { signed, signature }: RequestSignature): boolean => {
  try {
    return verify(hash, signed, key, signature)
  } catch {
    // OpenSSL throws for a signature that is no DER.
    return false
  }
}

/** Demands that whoever made the request has the private key. @throws SigningRequestRejected */
export const demandPossession = (key: KeyObject, made: RequestSignature): void => {
  const algorithm = SIGNATURES[made.oid]
  if (algorithm === undefined || algorithm.type !== key.asymmetricKeyType) {
    throw new SigningRequestRejected(
      '"csr" is signed with an algorithm that is not supported. Sign it with SHA-256, SHA-384 or SHA-512 (RSA with PKCS #1 padding, or ECDSA), or with Ed25519.',
    )
  }
  if (!holds(key, algorithm.hash, made)) {
    throw new SigningRequestRejected(
      '"csr" is not signed with the private key that belongs to its public key. Make it anew with that key.',
    )
  }
}
