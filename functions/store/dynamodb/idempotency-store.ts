import { createHash } from 'node:crypto'
import * as z from 'zod'
import { ReservationTaken } from '../errors.ts'
import type { IdempotencyStore } from '../stores.ts'
import { asWrite } from './action.ts'
import { count, parseItem, schemaVersion, text } from './item.schema.ts'
import { epochSeconds, idempotencyKey } from './keys.ts'
import { getItem } from './read.ts'
import type { StoreContext } from './request.ts'

/** How long a key is remembered, seconds: 24 hours. */
const KEY_LIFE_SECONDS = 24 * 3600

export const IDEMPOTENCY_SCHEMA_VERSION = 1

export const idempotencyItem = z.object({
  schemaVersion: schemaVersion(IDEMPOTENCY_SCHEMA_VERSION),
  ttl: count,
  fingerprint: text,
  entityId: text,
})

/** The caller's key is any text of any length; its digest fits in a sort key. */
const keyOf = (projectId: string, key: string) =>
  idempotencyKey(projectId, createHash('sha256').update(key).digest('hex'))

/** `Idempotency-Key`s in DynamoDB. */
export const dynamoIdempotencyStore = (context: StoreContext): IdempotencyStore => ({
  get: async (projectId, key) => {
    const item = await getItem(context, keyOf(projectId, key))
    if (item === undefined) return undefined
    const { ttl, fingerprint, entityId } = parseItem(idempotencyItem, item)
    return ttl > epochSeconds(context.clock) ? { fingerprint, entityId } : undefined
  },
  remember: (projectId, key, { fingerprint, entityId }) => {
    const now = epochSeconds(context.clock)
    return asWrite({
      type: 'put',
      item: {
        ...keyOf(projectId, key),
        schemaVersion: IDEMPOTENCY_SCHEMA_VERSION,
        ttl: now + KEY_LIFE_SECONDS,
        fingerprint,
        entityId,
      },
      condition: 'attribute_not_exists(#pk) OR #ttl <= :now',
      values: { ':now': now },
      onConflict: () =>
        new ReservationTaken(
          'A request with this Idempotency-Key was accepted meanwhile; send it again for its answer.',
        ),
    })
  },
})
