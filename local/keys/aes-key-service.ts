import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto'
import type { KeyService } from '../../functions/core/ports.ts'
import { CredentialUnreadable } from '../../functions/store/errors.ts'

const ALGORITHM = 'aes-256-gcm'
const DATA_KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** The context in one form, whatever the order of its entries: additional authenticated data of the wrapped key. */
const associatedData = (context: Record<string, string>): Buffer =>
  Buffer.from(JSON.stringify(Object.entries(context).sort(([a], [b]) => (a < b ? -1 : 1))))

const wrap = (key: KeyObject, plaintext: Uint8Array, context: Record<string, string>): Uint8Array => {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv(ALGORITHM, key, iv).setAAD(associatedData(context))
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

const unwrap = (key: KeyObject, wrapped: Uint8Array, context: Record<string, string>): Uint8Array => {
  const bytes = Buffer.from(wrapped)
  try {
    const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      .setAAD(associatedData(context))
      .setAuthTag(bytes.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()])
  } catch (error) {
    throw new CredentialUnreadable(
      "A stored data key can't be opened with this key. Start fedplane with the key that belongs to its data.",
      { cause: error },
    )
  }
}

/** Key service on one AES-256 key: what KMS does, without KMS. Its `decrypt` throws CredentialUnreadable for another key or context. */
export const aesKeyService = (key: KeyObject): KeyService => ({
  generateDataKey: async (context) => {
    const plaintext = randomBytes(DATA_KEY_BYTES)
    return { plaintext, wrapped: wrap(key, plaintext, context) }
  },
  decrypt: async (wrapped, context) => unwrap(key, wrapped, context),
})
