import type { Json, JsonObject } from '../../domain/json.ts'
import { Secret } from '../../domain/secret.ts'
import { listInWords, quote } from '../../domain/wording.ts'
import type {
  ClusterDriverDescription,
  Registration,
  RegistrationField,
} from '../../drivers/contract/cluster-driver-description.ts'
import { InvalidRequest } from '../errors.ts'
import type { CreateCluster } from './cluster.schema.ts'
import { REGISTRATION_ATTRIBUTES, type RegistrationAttribute } from './registration-attributes.ts'

/** What is kept of a registration. */
export type TakenRegistration = {
  /** For `driverState`: what every read shows. */
  state: JsonObject
  /** The confidential fields, to be sealed; null when there are none. */
  credential: Secret | null
}

/** The attribute by which a request registers a cluster, when it does. */
export const givenRegistration = (body: CreateCluster): RegistrationAttribute | undefined =>
  REGISTRATION_ATTRIBUTES.find((attribute) => body[attribute] !== undefined)

const isAbsent = (value: Json | undefined): boolean => value === undefined || value === null || value === ''

const faultOf = (attribute: string, field: RegistrationField, values: JsonObject): string[] => {
  const value = values[field.name]
  const name = quote(`${attribute}.${field.name}`)
  if (isAbsent(value)) return field.required ? [`${name} is missing; it ${field.rule}.`] : []
  if (typeof value !== 'string' || !field.pattern.test(value)) return [`${name} ${field.rule}.`]
  const { goesWith } = field
  if (goesWith === undefined || !isAbsent(values[goesWith])) return []
  return [`${name} goes with ${quote(`${attribute}.${goesWith}`)} only. Give both, or leave it out.`]
}

const unknownFaults = ({ attribute, fields }: Registration, given: JsonObject): string[] => {
  const known = fields.map(({ name }) => name)
  const unknown = Object.keys(given).filter((key) => !known.includes(key))
  if (unknown.length === 0) return []
  const named = listInWords(unknown.map((key) => quote(`${attribute}.${key}`)))
  return [`Unknown: ${named}. ${quote(attribute)} has ${listInWords(known)}.`]
}

/** The fields that are given, of one kind. */
const given = (values: JsonObject, fields: readonly RegistrationField[], confidential: boolean): JsonObject =>
  Object.fromEntries(
    fields
      .filter((field) => field.confidential === confidential && !isAbsent(values[field.name]))
      .map(({ name }) => [name, values[name] ?? null]),
  )

/**
 * Takes what a request says of a cluster that is there already, by its driver's fields. A value that is refused is not repeated: it may be
 * confidential.
 *
 * @returns null for a request that registers none so
 * @throws InvalidRequest with a sentence for each fault
 */
export const takeRegistration = (
  { registration }: ClusterDriverDescription,
  body: CreateCluster,
): TakenRegistration | null => {
  const attribute = givenRegistration(body)
  const values = attribute && body[attribute]
  if (registration === undefined || values === undefined) return null
  const { fields } = registration
  const faults = [
    ...unknownFaults(registration, values),
    ...fields.flatMap((field) => faultOf(registration.attribute, field, values)),
  ]
  if (faults.length > 0) throw new InvalidRequest(faults.join(' '))
  const sealed = given(values, fields, true)
  return {
    state: { [registration.attribute]: given(values, fields, false) },
    credential: Object.keys(sealed).length === 0 ? null : new Secret(JSON.stringify(sealed)),
  }
}
