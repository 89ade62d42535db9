import type { ManagementRole } from '../../core/cluster/cluster.ts'
import { InvalidRequest } from '../../core/errors.ts'
import type { Json, JsonObject } from '../../core/values/json.ts'
import { listInWords, quote } from '../../core/values/wording.ts'
import type {
  ClusterDriverDescription,
  ManagementDescription,
} from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { booleanOf } from '../body/fields.ts'
import { fieldFaults, givenFields, isAbsent } from './registration-fields.ts'

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
