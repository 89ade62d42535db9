import { InvalidRequest } from '../../core/errors.ts'
import type { JsonObject } from '../../core/values/json.ts'
import { Secret } from '../../core/values/secret.ts'
import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import type { CreateCluster } from './cluster.schema.ts'
import { REGISTRATION_ATTRIBUTES, type RegistrationAttribute } from './registration-attributes.ts'
import { fieldFaults, givenFields } from './registration-fields.ts'

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

/**
 * Takes what a request says of a cluster that is there already, by its driver's fields.
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
  const faults = fieldFaults(registration, values)
  if (faults.length > 0) throw new InvalidRequest(faults.join(' '))
  const of = (confidential: boolean) => registration.fields.filter((field) => field.confidential === confidential)
  const sealed = givenFields(values, of(true))
  return {
    state: { [registration.attribute]: givenFields(values, of(false)) },
    credential: Object.keys(sealed).length === 0 ? null : new Secret(JSON.stringify(sealed)),
  }
}
