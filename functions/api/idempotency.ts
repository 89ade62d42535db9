import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { InvalidRequest } from '../core/errors.ts'
import { isAppError } from '../core/values/app-error.ts'
import type { Json } from '../core/values/json.ts'
import { QuotaReached } from '../store/errors.ts'
import type { IdempotentResult } from '../store/stores.ts'
import type { Write } from '../store/write.ts'
import { httpStatusOf } from './envelope.ts'
import { IdempotencyKeyReused } from './errors.ts'
import type { ApiRequest } from './route.ts'

const KEY = /^[\x21-\x7e]{1,255}$/

/** The same for bodies that differ only in the order of keys. */
const canonical = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, canonical(inner)]),
  )
}

const fingerprintOf = (what: string, body: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify([what, canonical(body)]))
    .digest('hex')

const keyOf = (headers: ApiRequest['headers']): string | undefined => {
  const key = headers['idempotency-key']?.trim()
  if (key === undefined || KEY.test(key)) return key
  throw new InvalidRequest('The header Idempotency-Key must be 1 to 255 printable ASCII characters without spaces.')
}

/** Creates under the caller's `Idempotency-Key`: `remember` goes into the creating commit. Returns the new object's id. */
type Create = (remember: (entityId: string) => Write[]) => Promise<string>

/** A refusal may be the doing of the same request, which came at the same moment and was first. */
const isRefusal = (error: unknown): boolean => isAppError(error) && httpStatusOf(error.kind) < 500

/**
 * Milliseconds between attempts that find no place in the quota, 2 s in all. A place is taken before its cluster is stored, so that the
 * first of two same requests may have taken the last one and not be written down yet. All else that one takes from the other comes with
 * the very commit that remembers the key, and needs no wait.
 */
const PAUSES = [50, 100, 250, 500, 1100]

/**
 * Creates, or gives what another request has created meanwhile.
 *
 * @param earlier the id that an earlier request with the same key was answered with
 * @throws what `create` throws when there is none
 */
const createUnlessDone = async (
  create: () => Promise<string>,
  earlier: () => Promise<string | undefined>,
  pauses: readonly number[] = PAUSES,
): Promise<string> => {
  try {
    return await create()
  } catch (error) {
    if (!isRefusal(error)) throw error
    const winner = await earlier()
    if (winner !== undefined) return winner
    const [pause, ...later] = error instanceof QuotaReached ? pauses : []
    if (pause === undefined) throw error
    await sleep(pause)
    return createUnlessDone(create, earlier, later)
  }
}

/**
 * Answers a creating request at most once per `Idempotency-Key` in 24 h: a repetition gets the id of what the first one made, also one
 * that comes at the same moment and is refused because of the first (a name or uuid taken, a quota full). Without the header every request
 * creates.
 *
 * @param what names the kind of request: the same key for another kind, or with another body, is refused
 * @throws IdempotencyKeyReused, InvalidRequest
 */
export const createOnce = async (
  { ports, principal, headers, body }: ApiRequest<unknown, unknown>,
  what: string,
  create: Create,
): Promise<string> => {
  const key = keyOf(headers)
  if (key === undefined) return create(() => [])
  const { idempotency } = ports.stores
  const fingerprint = fingerprintOf(what, body as Json)
  const earlier = async (): Promise<string | undefined> => {
    const result: IdempotentResult | undefined = await idempotency.get(principal.projectId, key)
    if (result === undefined || result.fingerprint === fingerprint) return result?.entityId
    throw new IdempotencyKeyReused(
      'This Idempotency-Key was used for another request in the last 24 hours. Use a new one.',
    )
  }
  const known = await earlier()
  if (known !== undefined) return known
  return createUnlessDone(
    () => create((entityId) => [idempotency.remember(principal.projectId, key, { fingerprint, entityId })]),
    earlier,
  )
}
