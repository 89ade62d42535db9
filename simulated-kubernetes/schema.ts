import { type Fields, isFields } from './objects.ts'
import type { FieldFault } from './status.ts'
import type { Schema } from './types.ts'

const childSchema = (schema: Schema, key: string): Schema | undefined => {
  const own =
    schema.properties !== undefined && Object.hasOwn(schema.properties, key) ? schema.properties[key] : undefined
  if (own !== undefined) return own
  if (typeof schema.additionalProperties === 'object') return schema.additionalProperties
  return schema.additionalProperties === true ? { 'x-kubernetes-preserve-unknown-fields': true } : undefined
}

/**
 * Structural pruning: a copy with only what the schema declares. Where `x-kubernetes-preserve-unknown-fields` is set, unknown
 * fields stay. Collects the paths that went, for `fieldValidation=Strict`.
 */
export const prune = (value: unknown, schema: Schema, gone: string[] = [], path = ''): unknown => {
  const { items } = schema
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((item, index) => prune(item, items, gone, `${path}[${index}]`))
  }
  return isFields(value) ? pruneFields(value, schema, gone, path) : value
}

const pruneFields = (value: Fields, schema: Schema, gone: string[], path: string): Fields => {
  const kept: Fields = {}
  for (const [key, child] of Object.entries(value)) {
    const at = path === '' ? key : `${path}.${key}`
    const known = childSchema(schema, key)
    if (known !== undefined) kept[key] = prune(child, known, gone, at)
    else if (schema['x-kubernetes-preserve-unknown-fields']) kept[key] = child
    else gone.push(at)
  }
  return kept
}

/** A copy with the schema's defaults where a field is absent. */
export const withDefaults = (value: unknown, schema: Schema): unknown => {
  const { items } = schema
  if (Array.isArray(value)) return items === undefined ? value : value.map((item) => withDefaults(item, items))
  return isFields(value) ? fieldsWithDefaults(value, schema) : value
}

const fieldsWithDefaults = (value: Fields, schema: Schema): Fields => {
  const defaults = Object.entries(schema.properties ?? {})
    .filter(([key, child]) => child.default !== undefined && value[key] === undefined)
    .map(([key, child]) => [key, structuredClone(child.default)] as const)
  const filled = Object.entries({ ...value, ...Object.fromEntries(defaults) })
  return Object.fromEntries(filled.map(([key, child]) => [key, withDefaults(child, childSchema(schema, key) ?? {})]))
}

type At = { path: string; faults: FieldFault[] }

const fault = (reason: FieldFault['reason'], at: At, message: string): void => {
  at.faults.push({ field: at.path, reason, message })
}

const show = (value: unknown): string => JSON.stringify(value)

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isFields,
  array: Array.isArray,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number',
}

const hasType = (value: unknown, schema: Schema): boolean => {
  if (schema['x-kubernetes-int-or-string']) return Number.isInteger(value) || typeof value === 'string'
  return schema.type === undefined || (TYPES[schema.type]?.(value) ?? true)
}

const nameOfType = (value: unknown): string => {
  if (Array.isArray(value)) return 'array'
  if (Number.isInteger(value)) return 'integer'
  return value === null ? 'null' : typeof value
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  byte: (text) => BASE64.test(text.replaceAll(/\s/g, '')),
  'date-time': (text) => /^\d{4}-\d\d-\d\dT/.test(text) && !Number.isNaN(Date.parse(text)),
}

const checkString = (value: string, schema: Schema, at: At): void => {
  const length = [...value].length
  if (length < (schema.minLength ?? 0)) {
    fault(
      'FieldValueInvalid',
      at,
      `Invalid value: ${show(value)}: ${at.path} in body should be at least ${schema.minLength} chars long`,
    )
  }
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    fault('FieldValueTooLong', at, `Too long: may not be more than ${schema.maxLength} bytes`)
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    fault('FieldValueInvalid', at, `Invalid value: ${show(value)}: ${at.path} in body should match '${schema.pattern}'`)
  }
  if (FORMATS[schema.format ?? '']?.(value) === false) {
    fault(
      'FieldValueTypeInvalid',
      at,
      `Invalid value: ${show(value)}: ${at.path} in body must be of type ${schema.format}: ${show(value)}`,
    )
  }
}

const checkNumber = (value: number, schema: Schema, at: At): void => {
  const { minimum, maximum } = schema
  if (minimum !== undefined && value < minimum) {
    fault(
      'FieldValueInvalid',
      at,
      `Invalid value: ${value}: ${at.path} in body should be greater than or equal to ${minimum}`,
    )
  }
  if (maximum !== undefined && value > maximum) {
    fault(
      'FieldValueInvalid',
      at,
      `Invalid value: ${value}: ${at.path} in body should be less than or equal to ${maximum}`,
    )
  }
}

const identityOf = (item: unknown, schema: Schema): string => {
  const keys = schema['x-kubernetes-list-map-keys']
  return keys === undefined || !isFields(item) ? show(item) : show(keys.map((key) => item[key]))
}

const checkDuplicates = (value: readonly unknown[], schema: Schema, at: At): void => {
  if (!['set', 'map'].includes(schema['x-kubernetes-list-type'] ?? '')) return
  const seen = new Set<string>()
  for (const [index, item] of value.entries()) {
    const identity = identityOf(item, schema)
    if (seen.has(identity)) {
      fault('FieldValueInvalid', { ...at, path: `${at.path}[${index}]` }, `Duplicate value: ${show(item)}`)
    }
    seen.add(identity)
  }
}

const checkArray = (value: readonly unknown[], schema: Schema, at: At): void => {
  if (value.length < (schema.minItems ?? 0)) {
    fault(
      'FieldValueInvalid',
      at,
      `Invalid value: ${value.length}: ${at.path} in body should have at least ${schema.minItems} items`,
    )
  }
  if (schema.maxItems !== undefined && value.length > schema.maxItems) {
    fault('FieldValueInvalid', at, `Too many: ${value.length}: must have at most ${schema.maxItems} items`)
  }
  checkDuplicates(value, schema, at)
  for (const [index, item] of value.entries()) {
    check(item, schema.items ?? {}, { ...at, path: `${at.path}[${index}]` })
  }
}

const checkFields = (value: Fields, schema: Schema, at: At): void => {
  const below = (key: string): At => ({ ...at, path: at.path === '' ? key : `${at.path}.${key}` })
  for (const key of schema.required ?? []) {
    if (value[key] === undefined) fault('FieldValueRequired', below(key), 'Required value')
  }
  for (const [key, child] of Object.entries(value)) check(child, childSchema(schema, key) ?? {}, below(key))
}

const checkEnum = (value: unknown, schema: Schema, at: At): void => {
  if (schema.enum === undefined || schema.enum.includes(value)) return
  const supported = schema.enum.map(show).join(', ')
  fault('FieldValueNotSupported', at, `Unsupported value: ${show(value)}: supported values: ${supported}`)
}

const check = (value: unknown, schema: Schema, at: At): void => {
  if (value === undefined || (value === null && schema.nullable)) return
  if (!hasType(value, schema)) {
    const wanted = schema.type ?? 'integer or string'
    fault(
      'FieldValueTypeInvalid',
      at,
      `Invalid value: "${nameOfType(value)}": ${at.path} in body must be of type ${wanted}: "${nameOfType(value)}"`,
    )
    return
  }
  checkEnum(value, schema, at)
  if (typeof value === 'string') checkString(value, schema, at)
  else if (typeof value === 'number') checkNumber(value, schema, at)
  else if (Array.isArray(value)) checkArray(value, schema, at)
  else if (isFields(value)) checkFields(value, schema, at)
}

/** Faults of a value against a structural schema; none when it is good. CEL rules are not evaluated. */
export const checkSchema = (value: unknown, schema: Schema): FieldFault[] => {
  const faults: FieldFault[] = []
  check(value, schema, { path: '', faults })
  return faults
}
