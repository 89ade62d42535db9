import { isDeepStrictEqual } from 'node:util'
import type { JsonObject } from '../values/json.ts'

/** A driver's state merged into the stored one: null removes a key. */
export const mergeState = (before: JsonObject, more: JsonObject): JsonObject =>
  Object.fromEntries(Object.entries({ ...before, ...more }).filter(([, value]) => value !== null))

/** Only the fields of `next` that differ from `before`; empty when nothing would change. */
export const changesOf = <C extends object>(before: C, next: C): C =>
  Object.fromEntries(
    Object.entries(next).filter(([key, value]) => !isDeepStrictEqual(before[key as keyof C], value)),
  ) as C
