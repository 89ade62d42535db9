import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { link, mkdir, open, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { KeyService } from '../../functions/core/ports.ts'
import { CredentialUnreadable } from '../../functions/store/errors.ts'
import { KeyFileUnusable } from './errors.ts'

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

const KEY_BYTES = 32

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code

/**
 * Makes the file with all of its bytes or not at all: written and synced under another name, then linked, which fails when
 * another process was faster. So a crash can't leave half a key, and two processes agree on one.
 */
const createKeyFile = async (path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${randomBytes(8).toString('hex')}`
  const file = await open(draft, 'wx', 0o600).catch((cause: unknown) => {
    throw new KeyFileUnusable(
      `The key file ${path} can't be made. Its folder must belong to the user that runs fedplane.`,
      { cause },
    )
  })
  try {
    await file.writeFile(randomBytes(KEY_BYTES))
    await file.sync()
    await link(draft, path)
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  } finally {
    await file.close()
    await unlink(draft)
  }
}

/**
 * Whoever owns the file can open it to themselves, and knows the key if it is of their making.
 *
 * @throws KeyFileUnusable
 */
const requirePrivate = (path: string, { mode, uid }: { mode: number; uid: number }): void => {
  // Where there are no users there are no modes.
  const user = process.getuid?.()
  if (user === undefined) return
  if (uid !== user) {
    throw new KeyFileUnusable(
      `The key file ${path} belongs to another user (uid ${uid}), who may know the key. If it is yours all the same, run chown ${user} on it.`,
    )
  }
  if ((mode & 0o077) === 0) return
  throw new KeyFileUnusable(
    `The key file ${path} is open to other users (mode ${(mode & 0o777).toString(8)}). Run chmod 600 on it.`,
  )
}

/** Undefined when there is no such file. Owner, permissions and bytes are of one and the same open file. */
const readKeyFile = async (path: string): Promise<KeyObject | undefined> => {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw new KeyFileUnusable(`The key file ${path} can't be read. It must belong to the user that runs fedplane.`, {
      cause: error,
    })
  })
  if (file === undefined) return undefined
  try {
    const stats = await file.stat()
    if (!stats.isFile()) throw new KeyFileUnusable(`The key file ${path} is not a file.`)
    requirePrivate(path, stats)
    const bytes = await file.readFile()
    if (bytes.length !== KEY_BYTES) {
      throw new KeyFileUnusable(
        `The key file ${path} has ${bytes.length} bytes instead of ${KEY_BYTES}. Restore it from a backup: without it no stored credential can be opened.`,
      )
    }
    return createSecretKey(bytes)
  } finally {
    await file.close()
  }
}

/**
 * The key of one machine: a file of 32 random bytes, made with mode 0600 when absent.
 *
 * @throws KeyFileUnusable when it is another user's or others can read it, or it is no key
 */
export const openKeyFile = async (path: string): Promise<KeyObject> => {
  const key = (await readKeyFile(path)) ?? (await createKeyFile(path).then(() => readKeyFile(path)))
  if (key === undefined) throw new KeyFileUnusable(`The key file ${path} was removed while it was being made.`)
  return key
}

/**
 * Key service of one machine, on its key file.
 *
 * @throws KeyFileUnusable; its `decrypt` throws CredentialUnreadable for keys wrapped by another file or for another context
 */
export const keyFileService = async (path: string): Promise<KeyService> => aesKeyService(await openKeyFile(path))
