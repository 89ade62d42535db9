import type { ManagementRole } from '../../core/cluster/cluster.ts'
import type { TakenKubeconfig } from '../../core/cluster/replace-kubeconfig.ts'
import { InvalidRequest } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/values/json.ts'
import { Secret } from '../../core/values/secret.ts'
import { listInWords, quote } from '../../core/values/wording.ts'
import type {
  ClusterDriverDescription,
  ManagementDescription,
  RegistrationField,
} from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { localPolicy } from '../../kubernetes/address-guard.ts'
import { guardedServerUrl } from '../../kubernetes/kubeconfig/guarded-server-url.ts'
import { connectionTo, encodeConnection } from '../../kubernetes/stored-connection.ts'
import { booleanOf } from '../body/fields.ts'
import type { KeysRequest } from '../route.ts'
import type { CreateCluster } from './cluster.schema.ts'

/**
 * Attributes of `POST /v1/clusters` by which drivers register clusters (`Registration.attribute`); what is in them the drivers say. A list by
 * hand, because routes and their documents are made without drivers; a test compares it with the drivers of the build.
 */
export const REGISTRATION_ATTRIBUTES = ['eks'] as const
export type RegistrationAttribute = (typeof REGISTRATION_ATTRIBUTES)[number]

/** An attribute of a request that is an object of a driver's fields. */
type FieldsAttribute = {
  attribute: string
  fields: readonly RegistrationField[]
  /** Keys that it has besides, which somebody else checks. Default: none. */
  others?: readonly string[]
}

/** Null and `""` are as absent. */
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

const unknownFaults = ({ attribute, fields, others = [] }: FieldsAttribute, values: JsonObject): string[] => {
  const known = [...others, ...fields.map(({ name }) => name)]
  const unknown = Object.keys(values).filter((key) => !known.includes(key))
  if (unknown.length === 0) return []
  const named = listInWords(unknown.map((key) => quote(`${attribute}.${key}`)))
  return [`Unknown: ${named}. ${quote(attribute)} has ${listInWords(known)}.`]
}

/** A sentence for each fault of what was given. A value that is refused is not repeated: it may be confidential. */
const fieldFaults = (expected: FieldsAttribute, values: JsonObject): string[] => [
  ...unknownFaults(expected, values),
  ...expected.fields.flatMap((field) => faultOf(expected.attribute, field, values)),
]

/** Those of the fields that are given. */
const givenFields = (values: JsonObject, fields: readonly RegistrationField[]): Record<string, Json> =>
  Object.fromEntries(
    fields.filter(({ name }) => !isAbsent(values[name])).map(({ name }) => [name, values[name] ?? null]),
  )

/** What the role is in a request, to complete a sentence. */
export const MANAGEMENT_RULE = 'must be an object: "driver", "default" and what the driver asks for'

const ATTRIBUTE = 'management'
/** Keys that are not the driver's. */
const OWN = ['driver', 'default']

type Needing = ClusterDriverDescription & { management: ManagementDescription }

const needsManagement = (driver: ClusterDriverDescription): driver is Needing => driver.management !== undefined

/** The driver that makes clusters through it: named, or the only one that does. @throws InvalidRequest */
const driverOf = (drivers: DriverDescriptions, wanted: Json | undefined): Needing => {
  const candidates = drivers.cluster.list().filter(needsManagement)
  const ids = candidates.map(({ id }) => id)
  const [only] = candidates
  if (only === undefined) {
    throw new InvalidRequest('No enabled driver makes clusters through a management cluster. Leave "management" out.')
  }
  if (isAbsent(wanted)) {
    if (candidates.length === 1) return only
    throw new InvalidRequest(`"management.driver" is missing; it must be ${listInWords(ids)}: one of them.`)
  }
  const named = candidates.find(({ id }) => id === wanted)
  if (named !== undefined) return named
  const given = typeof wanted === 'string' ? quote(wanted) : 'not text'
  throw new InvalidRequest(
    `"management.driver" is ${given}; it must be a driver that makes clusters through a management cluster: ${listInWords(ids)}.`,
  )
}

/**
 * Takes what a request says of a cluster's role as a management cluster, by the driver's fields. Values are text, as of a registration.
 *
 * @throws InvalidRequest with a sentence for each fault
 */
export const takeManagement = (drivers: DriverDescriptions, values: JsonObject): ManagementRole => {
  const driver = driverOf(drivers, values.driver)
  const { fields } = driver.management
  const isDefault = isAbsent(values.default) ? false : booleanOf(values.default)
  const faults = [
    ...(isDefault === undefined ? [`"${ATTRIBUTE}.default" must be a boolean: true or false.`] : []),
    ...fieldFaults({ attribute: ATTRIBUTE, fields, others: OWN }, values),
  ]
  if (faults.length > 0) throw new InvalidRequest(faults.join(' '))
  const options = Object.entries(givenFields(values, fields)).map(([name, value]) => [name, String(value)])
  return { driver: driver.id, options: Object.fromEntries(options), isDefault: isDefault ?? false }
}

/** What is kept of a registration. */
type TakenRegistration = {
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

export type GivenKubeconfig = {
  kubeconfig: string | JsonObject
  context: string | undefined
  /** The caller's explicit `insecure_skip_tls_verify`. */
  allowInsecure: boolean
  serverForPeers: string | undefined
}

/**
 * The address that peers are given. fedplane never connects to it, and it may be where fedplane can't reach. But it is published with a credential, so
 * one that no API server has is refused here as everywhere.
 *
 * @throws KubeconfigRejected, AddressForbidden
 */
export const addressForPeers = (given: string | null): string | null =>
  given === null ? null : guardedServerUrl(given, 'server_for_peers', localPolicy)

/**
 * Takes one connection out of a kubeconfig. Its parser is loaded at the first use: other requests need no YAML.
 *
 * @throws KubeconfigRejected, AddressForbidden
 */
export const takeKubeconfig = async (
  { ports }: Pick<KeysRequest, 'ports'>,
  given: GivenKubeconfig,
): Promise<TakenKubeconfig> => {
  const { parseKubeconfig } = await import('../../kubernetes/kubeconfig/parse-kubeconfig.ts')
  const intake = parseKubeconfig(given.kubeconfig, {
    ...(given.context === undefined ? {} : { context: given.context }),
    allowInsecure: given.allowInsecure,
    policy: ports.addressPolicy,
    now: ports.clock.now(),
  })
  return {
    endpoint: { ...intake.endpoint, serverForPeers: addressForPeers(given.serverForPeers ?? null) },
    credential: encodeConnection(connectionTo(intake.endpoint, intake.credential)),
  }
}
