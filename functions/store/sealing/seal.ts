import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import { Secret } from '../../core/values/secret.ts'
import type { CredentialKey } from '../credential.store.ts'
import { CredentialUnreadable } from '../errors.ts'

const ALGORITHM = 'aes-256-gcm'
/** First byte of what is sealed: what it is bound to besides its place is in the second format only. */
const PLACE_FORMAT = 1
const BOUND_FORMAT = 2
const IV_BYTES = 12
const TAG_BYTES = 16

/** Ties the sealed value to its place, and to what the key says besides: all of it unambiguously joined. */
const associatedData = (format: number, { projectId, owner, purpose, boundTo }: CredentialKey): Buffer =>
  Buffer.from(JSON.stringify([format, projectId, owner, purpose, ...(format === BOUND_FORMAT ? [boundTo] : [])]))

/** Format, random IV, ciphertext, tag. A random 96 bit IV is good for 2^32 secrets per data key. */
export const seal = (dataKey: KeyObject, key: CredentialKey, secret: Secret): Uint8Array => {
  const format = key.boundTo === undefined ? PLACE_FORMAT : BOUND_FORMAT
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, dataKey, iv).setAAD(associatedData(format, key))
  const ciphertext = [cipher.update(secret.reveal(), 'utf8'), cipher.final()]
  return Buffer.concat([Buffer.of(format), iv, ...ciphertext, cipher.getAuthTag()])
}

const unreadable = ({ owner, purpose }: CredentialKey, cause?: unknown): CredentialUnreadable =>
  new CredentialUnreadable(
    `The stored ${purpose} of ${owner} can't be opened: it was sealed with another key, moved or altered. Store it anew.`,
    { cause, details: { owner, purpose } },
  )

/** @throws CredentialUnreadable for another key, another place, or altered bytes */
export const unseal = (dataKey: KeyObject, key: CredentialKey, sealed: Uint8Array): Secret => {
  const bytes = Buffer.from(sealed)
  const format = bytes[0] ?? 0
  const isKnown = format === PLACE_FORMAT || (format === BOUND_FORMAT && key.boundTo !== undefined)
  if (!isKnown || bytes.length < 1 + IV_BYTES + TAG_BYTES) throw unreadable(key)
  const iv = bytes.subarray(1, 1 + IV_BYTES)
  const decipher = createDecipheriv(ALGORITHM, dataKey, iv, { authTagLength: TAG_BYTES })
    .setAAD(associatedData(format, key))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    const plain = [decipher.update(bytes.subarray(1 + IV_BYTES, -TAG_BYTES)), decipher.final()]
    return new Secret(Buffer.concat(plain).toString('utf8'))
  } catch (error) {
    throw unreadable(key, error)
  }
}
