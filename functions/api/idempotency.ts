import { createHash } from 'node:crypto'
import type { Json } from '../domain/json.ts'
import { ReservationTaken } from '../store/errors.ts'
import type { IdempotentResult } from '../store/idempotency.store.ts'
import type { Write } from '../store/write.ts'
import { IdempotencyKeyReused, InvalidRequest } from './errors.ts'
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

/**
 * Answers a creating request at most once per `Idempotency-Key` in 24 h: a repetition gets the id of what the first one made. Without
 * the header every request creates.
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
  try {
    return await create((entityId) => [idempotency.remember(principal.projectId, key, { fingerprint, entityId })])
  } catch (error) {
    const winner = error instanceof ReservationTaken ? await earlier() : undefined
    if (winner === undefined) throw error
    return winner
  }
}
