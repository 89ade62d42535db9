import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { KubernetesObject } from '../../../../functions/kubernetes/client.ts'

/** A structural schema of OpenAPI v3, as far as definitions of Cluster API have it. */
type Schema = {
  type?: string
  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  items?: Schema
  enum?: unknown[]
  pattern?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
  maxItems?: number
  default?: unknown
  'x-kubernetes-preserve-unknown-fields'?: boolean
  'x-kubernetes-int-or-string'?: boolean
  'x-kubernetes-list-map-keys'?: string[]
}

const SCHEMAS = JSON.parse(gunzipSync(readFileSync(join(import.meta.dirname, 'schemas.json.gz'))).toString()) as Record<
  string,
  Schema
>

type Faults = string[]
type Check = (schema: Schema, value: unknown, path: string) => Faults

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const schemaOfField = (schema: Schema, key: string): Schema | undefined => {
  const { properties, additionalProperties } = schema
  if (properties !== undefined && Object.hasOwn(properties, key)) return properties[key]
  if (typeof additionalProperties === 'object') return additionalProperties
  return schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties === true ? {} : undefined
}

const objectFaults: Check = (schema, value, path) => {
  if (!isObject(value)) return [`${path} is no object`]
  const missing = (schema.required ?? []).filter(
    (key) => !(key in value) && schema.properties?.[key]?.default === undefined,
  )
  return [
    ...missing.map((key) => `${path}.${key} is missing`),
    ...Object.entries(value).flatMap(([key, item]) => {
      const own = schemaOfField(schema, key)
      return own === undefined ? [`${path}.${key} is no field`] : faultsAt(own, item, `${path}.${key}`)
    }),
  ]
}

const arrayFaults: Check = (schema, value, path) => {
  if (!Array.isArray(value)) return [`${path} is no list`]
  const keys = schema['x-kubernetes-list-map-keys']
  const ids =
    keys === undefined
      ? []
      : value.map((item) => JSON.stringify(keys.map((key) => (item as Record<string, unknown>)[key])))
  return [
    ...(new Set(ids).size < ids.length ? [`${path} has two of one name`] : []),
    ...(value.length > (schema.maxItems ?? value.length) ? [`${path} is too long`] : []),
    ...value.flatMap((item, index) => faultsAt(schema.items ?? {}, item, `${path}[${index}]`)),
  ]
}

const stringFaults: Check = ({ pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }, value, path) => {
  if (typeof value !== 'string') return [`${path} is no text`]
  const isGood = value.length >= minLength && value.length <= maxLength && new RegExp(pattern ?? '').test(value)
  return isGood ? [] : [`${path} can not be ${value}`]
}

const numberFaults: Check = (
  { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY },
  value,
  path,
) =>
  typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum
    ? []
    : [`${path} can not be ${value}`]

const CHECKS: Readonly<Record<string, Check>> = {
  object: objectFaults,
  array: arrayFaults,
  string: stringFaults,
  integer: numberFaults,
  boolean: (_, value, path) => (typeof value === 'boolean' ? [] : [`${path} is neither true nor false`]),
}

/** `inMemory: {}` alone says something by being there. */
const isEmpty = (value: unknown, path: string): boolean =>
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.keys(value).length === 0 && !path.endsWith('.inMemory'))

const faultsAt: Check = (schema, value, path) => {
  if (isEmpty(value, path)) return [`${path} is empty`]
  if (schema['x-kubernetes-int-or-string'] === true) return []
  if (schema.enum !== undefined && !schema.enum.includes(value)) return [`${path} can not be ${value}`]
  return CHECKS[schema.type ?? '']?.(schema, value, path) ?? []
}

/** What a real API server would have against the object's `spec`; undefined for kinds that are not there. */
export const definitionFaults = ({ apiVersion, kind, spec }: KubernetesObject): Faults | undefined => {
  const schema = SCHEMAS[`${apiVersion}/${kind}`]
  return schema && faultsAt(schema, spec, `${kind}.spec`)
}
