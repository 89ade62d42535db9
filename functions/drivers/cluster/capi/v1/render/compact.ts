import type { Json, JsonObject } from '../../../../../core/values/json.ts'

/** JSON with fields that may be left out. */
export type Sparse =
  | undefined
  | null
  | boolean
  | number
  | string
  | readonly Sparse[]
  | { readonly [key: string]: Sparse }

const isObject = (value: Sparse): value is { readonly [key: string]: Sparse } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0)

const pruned = (value: Sparse): Json | undefined => {
  if (Array.isArray(value)) return (value as readonly Sparse[]).flatMap((item) => kept(pruned(item)))
  return isObject(value) ? compact(value) : (value as Json | undefined)
}

const kept = (value: Json | undefined): Json[] => (value === undefined || isEmpty(value) ? [] : [value])

/** Without absent, null and empty values, at any depth: Cluster API refuses most of them (cluster-api.md section 4.1). `false` and 0 stay. */
export const compact = (value: { readonly [key: string]: Sparse }): JsonObject =>
  Object.fromEntries(Object.entries(value).flatMap(([key, item]) => kept(pruned(item)).map((one) => [key, one])))
