import * as z from 'zod'
import { FLOWS } from '../../core/operation/operation.ts'
import { type DriverId, isDriverId } from '../../core/values/ids.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { PLACES } from '../../core/values/object-ref.ts'
import { STATUSES } from '../../core/values/status.ts'
import { ItemCorrupt } from '../errors.ts'
import type { Item } from './read.ts'

/** Parts that the schemas of several items share. Unknown attributes are left out, so that an older version can read a newer item. */

/**
 * Versions of an item that are read: all up to the one that is written, and the next. For while a release is rolled out, functions of the one
 * before meet items of the one after: a new version may add attributes that can be done without, and change nothing else.
 */
export const schemaVersion = (written: number) =>
  z
    .int()
    .min(1)
    .max(written + 1)

export const text = z.string()
export const textOrNull = z.string().nullable()
export const count = z.int().nonnegative()
export const status = z.enum(STATUSES)
export const driverId = z.custom<DriverId>((value) => typeof value === 'string' && isDriverId(value))
export const jsonObject: z.ZodType<JsonObject> = z.record(z.string(), z.json())
export const textMap = z.record(z.string(), z.string())

/** Of what uses a cluster of another project. */
export const loan = z.object({ projectId: text, grantId: text, since: text })

/** A string set, absent when empty, as a sorted list. */
export const sortedSet = <T extends z.ZodType<string>>(member: T) =>
  z
    .set(member)
    .optional()
    .transform((set): z.output<T>[] => [...(set ?? [])].sort())

export const condition = z.object({
  type: text,
  status: z.enum(['True', 'False', 'Unknown']),
  reason: text,
  message: text,
  observedRevision: count,
  changedAt: text,
})

export const objectRef = z.object({
  where: z.enum(PLACES),
  apiVersion: text,
  kind: text,
  namespace: text,
  name: text,
  uid: text,
})

/** An operation of one of these kinds. */
export const operation = <const K extends readonly string[]>(kinds: K) =>
  z.object({
    id: text,
    kind: z.enum(kinds),
    attempt: count,
    continued: count.exactOptional(),
    mode: z.enum(['do', 'undo']),
    startedAt: text,
    deadline: text,
    force: z.boolean(),
    workloads: z.literal('delete').exactOptional(),
    revokes: z.literal(true).exactOptional(),
    supersedes: z.array(z.object({ flow: z.enum(FLOWS), name: text })),
    failure: z.object({ reason: text, message: text }).nullable(),
  })

/**
 * Reads an item by its schema.
 *
 * @throws ItemCorrupt naming the item and the attributes, never their values
 */
export const parseItem = <S extends z.ZodType>(schema: S, item: Item): z.output<S> => {
  const result = schema.safeParse(item)
  if (result.success) return result.data
  const attributes = [...new Set(result.error.issues.map(({ path }) => path.join('.')))]
  throw new ItemCorrupt(
    `The stored item ${String(item.sk)} does not have the shape that this version of fedplane knows (${attributes.join(', ')}). ` +
      'It may have been written by a newer version; if not, restore the table.',
    { details: { pk: item.pk, sk: item.sk, attributes } },
  )
}
