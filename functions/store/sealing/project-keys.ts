import { createSecretKey, type KeyObject } from 'node:crypto'
import type { Clock, KeyService } from '../../core/ports.ts'

/** Where wrapped data keys are kept. */
export interface DataKeyItems {
  get(projectId: string): Promise<Uint8Array | undefined>
  /** False when there was one already, which then stays. */
  insert(projectId: string, wrapped: Uint8Array): Promise<boolean>
}

export type ProjectKeysOptions = { keys: KeyService; items: DataKeyItems; clock: Clock }

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
