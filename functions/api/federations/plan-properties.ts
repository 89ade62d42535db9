import { cameUp, type Federation } from '../../core/federation/federation.ts'
import { REPLACED_MAX } from '../../core/operation/launch.ts'
import { quote } from '../../core/values/wording.ts'
import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import { StateConflict } from '../errors.ts'
import type { PatchOperation } from '../json-patch/patch-operation.ts'
import { applyProperties } from './apply-properties.ts'
import { checkProperties } from './properties.ts'

/** An update of properties may be replaced by another, nothing else (decision 0023). @throws StateConflict naming what runs */
const demandReplaceable = ({ operation }: Federation, who: string): void => {
  if (operation === null) return
  if (operation.kind !== 'update')
    throw new StateConflict(`${who}: its ${operation.kind} is running. Try again when it is over.`)
  if (operation.supersedes.length >= REPLACED_MAX)
    throw new StateConflict(`${who}: its update was replaced ${REPLACED_MAX} times. Try again when it is over.`)
}

/** @throws StateConflict naming what is in the way */
const demandChangeable = (federation: Federation): void => {
  const { name, id, status } = federation
  const who = `Federation ${quote(name)} (${id}) is ${status}`
  demandReplaceable(federation, who)
  if (status === 'CREATE_IN_PROGRESS') throw new StateConflict(`${who}: its first members are joining. Try again then.`)
  const isDead = status === 'CREATE_FAILED' && !cameUp(federation)
  if (isDead || status.startsWith('DELETE_')) throw new StateConflict(`${who}; it can only be deleted.`)
}

const isSame = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key] === value)

/** What the last update that came to a good end put in force. */
export const inForce = ({ properties, propertiesInForce }: Federation): Readonly<Record<string, string>> =>
  propertiesInForce ?? properties

/**
 * What keeps new properties from following those in force, and those of an update that did not come to its end: that one may have been halfway.
 */
const changeFaults = (
  federation: Federation,
  driver: FederationDriverDescription,
  properties: Readonly<Record<string, string>>,
): string[] => [
  ...new Set(
    [federation.properties, inForce(federation)].flatMap((before) => driver.validateChange(before, properties)),
  ),
]

/** True when the properties that are asked for are under way or in force: an update that failed put none in force, whatever members did since. */
const isReachedOrUnderWay = ({ status, operation, propertiesInForce }: Federation): boolean =>
  operation?.kind === 'update' || (status !== 'UPDATE_FAILED' && (propertiesInForce ?? null) === null)

/**
 * The properties that a patch leads to; null when it changes nothing. After an update that failed the same properties are a change: it is tried
 * again.
 *
 * @throws InvalidRequest, RequestTooLarge, StateConflict
 */
export const planProperties = (
  federation: Federation,
  driver: FederationDriverDescription,
  operations: readonly PatchOperation[] | null,
): Readonly<Record<string, string>> | null => {
  if (operations === null) return null
  const properties = applyProperties(federation.properties, operations)
  if (isSame(properties, federation.properties) && isReachedOrUnderWay(federation)) return null
  checkProperties(driver, properties, changeFaults(federation, driver, properties))
  demandChangeable(federation)
  return properties
}
