import type { Json, JsonObject } from '../../core/values/json.ts'
import { listInWords, quote } from '../../core/values/wording.ts'
import type { RegistrationField } from '../../drivers/contract/cluster-driver-description.ts'

/** An attribute of a request that is an object of a driver's fields. */
export type FieldsAttribute = {
  attribute: string
  fields: readonly RegistrationField[]
  /** Keys that it has besides, which somebody else checks. Default: none. */
  others?: readonly string[]
}

/** Null and `""` are as absent. */
export const isAbsent = (value: Json | undefined): boolean => value === undefined || value === null || value === ''

const faultOf = (attribute: string, field: RegistrationField, values: JsonObject): string[] => {
  const value = values[field.name]
  const name = quote(`${attribute}.${field.name}`)
  if (isAbsent(value)) return field.required ? [`${name} is missing; it ${field.rule}.`] : []
  if (typeof value !== 'string' || !field.pattern.test(value)) return [`${name} ${field.rule}.`]
  const { goesWith } = field
  if (goesWith === undefined || !isAbsent(values[goesWith])) return []
  return [`${name} goes with ${quote(`${attribute}.${goesWith}`)} only. Give both, or leave it out.`]
}

const unknownFaults = ({ attribute, fields, others = [] }: FieldsAttribute, values: JsonObject): string[] => {
  const known = [...others, ...fields.map(({ name }) => name)]
  const unknown = Object.keys(values).filter((key) => !known.includes(key))
  if (unknown.length === 0) return []
  const named = listInWords(unknown.map((key) => quote(`${attribute}.${key}`)))
  return [`Unknown: ${named}. ${quote(attribute)} has ${listInWords(known)}.`]
}

/** A sentence for each fault of what was given. A value that is refused is not repeated: it may be confidential. */
export const fieldFaults = (expected: FieldsAttribute, values: JsonObject): string[] => [
  ...unknownFaults(expected, values),
  ...expected.fields.flatMap((field) => faultOf(expected.attribute, field, values)),
]

/** Those of the fields that are given. */
export const givenFields = (values: JsonObject, fields: readonly RegistrationField[]): Record<string, Json> =>
  Object.fromEntries(
    fields.filter(({ name }) => !isAbsent(values[name])).map(({ name }) => [name, values[name] ?? null]),
  )
