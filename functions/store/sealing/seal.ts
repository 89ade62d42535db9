import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import type { Clock, KeyService } from '../../core/ports.ts'
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

/** Where wrapped data keys are kept. */
export interface DataKeyItems {
  get(projectId: string): Promise<Uint8Array | undefined>
  /** False when there was one already, which then stays. */
  insert(projectId: string, wrapped: Uint8Array): Promise<boolean>
}

type ProjectKeysOptions = { keys: KeyService; items: DataKeyItems; clock: Clock }

/** How long a plaintext data key is kept in memory, milliseconds: design section 3. */
const CACHE_MS = 5 * 60 * 1000
/** Projects whose keys are kept at once; the one used first goes first. */
const CACHE_MAX = 1000

/** Bound to the wrapped key by the key service. */
const contextOf = (projectId: string): Record<string, string> => ({ project: projectId })

/** The key object is a copy that the runtime keeps out of the heap; the bytes are wiped. */
const keyObject = (plaintext: Uint8Array): KeyObject => {
  const key = createSecretKey(plaintext)
  plaintext.fill(0)
  return key
}

const unwrap = async (keys: KeyService, projectId: string, wrapped: Uint8Array): Promise<KeyObject> =>
  keyObject(await keys.decrypt(wrapped, contextOf(projectId)))

/** Reads the project's data key, or makes it. Of two that make one at once, the loser takes the winner's. */
const load = async ({ keys, items }: ProjectKeysOptions, projectId: string): Promise<KeyObject> => {
  const stored = await items.get(projectId)
  if (stored !== undefined) return unwrap(keys, projectId, stored)
  const { plaintext, wrapped } = await keys.generateDataKey(contextOf(projectId))
  if (await items.insert(projectId, wrapped)) return keyObject(plaintext)
  const winner = await items.get(projectId)
  if (winner === undefined) throw new Error(`the data key of project ${projectId} was there and is gone`)
  return unwrap(keys, projectId, winner)
}

/** Gives the plaintext data key of a project. */
export type KeyOfProject = (projectId: string) => Promise<KeyObject>

type Cached = { key: Promise<KeyObject>; until: number }

/**
 * Gives the data key of a project: one per project, wrapped by the key service, plaintext kept for five minutes.
 *
 * @throws CredentialUnreadable (from the key service) when it was wrapped by another key
 */
export const projectKeys = (options: ProjectKeysOptions): KeyOfProject => {
  const cache = new Map<string, Cached>()
  return (projectId) => {
    const now = options.clock.now().getTime()
    const cached = cache.get(projectId)
    if (cached !== undefined && cached.until > now) return cached.key
    cache.delete(projectId)
    const [oldest] = cache.keys()
    if (cache.size >= CACHE_MAX && oldest !== undefined) cache.delete(oldest)
    const key = load(options, projectId)
    const entry = { key, until: now + CACHE_MS }
    cache.set(projectId, entry)
    key.catch(() => cache.get(projectId) === entry && cache.delete(projectId))
    return key
  }
}
