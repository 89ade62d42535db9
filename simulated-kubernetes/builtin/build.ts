import type { Schema } from '../types.ts'

/** Short ways to write the schemas of built-in kinds, after Kubernetes' own OpenAPI document. */

export const text: Schema = { type: 'string' }
export const number: Schema = { type: 'integer' }
export const flag: Schema = { type: 'boolean' }
export const intOrText: Schema = { 'x-kubernetes-int-or-string': true }
/** An object whose inside is not checked. */
export const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true }
export const texts: Schema = { type: 'array', items: text }
export const textMap: Schema = { type: 'object', additionalProperties: text }
/** Quantities by name; kept as they are written. */
export const quantities: Schema = { type: 'object', additionalProperties: intOrText }

export const object = (properties: Record<string, Schema>): Schema => ({ type: 'object', properties })
/** One value for server-side apply. */
export const list = (items: Schema): Schema => ({ type: 'array', items })
/** Items distinguished by their keys. */
export const keyed = (keys: readonly string[], items: Schema): Schema => ({
  type: 'array',
  items,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': [...keys],
})
export const withDefault = (schema: Schema, value: unknown): Schema => ({ ...schema, default: value })

export const conditions: Schema = keyed(['type'], anything)
export const labelSelector: Schema = object({ matchLabels: textMap, matchExpressions: list(anything) })
