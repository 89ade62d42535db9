import { cameUp, type Federation } from '../../domain/federation.ts'
import { quote } from '../../domain/wording.ts'
import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import { StateConflict } from '../errors.ts'
import type { PatchOperation } from '../json-patch/patch-operation.ts'
import { applyProperties } from './apply-properties.ts'
import { checkProperties } from './properties.ts'

/** @throws StateConflict naming what runs */
const demandSettled = (federation: Federation): void => {
  const { name, id, status, operation } = federation
  const who = `Federation ${quote(name)} (${id}) is ${status}`
  if (operation !== null)
    throw new StateConflict(`${who}: its ${operation.kind} is running. Try again when it is over.`)
  if (status === 'CREATE_IN_PROGRESS') throw new StateConflict(`${who}: its first members are joining. Try again then.`)
  const isDead = status === 'CREATE_FAILED' && !cameUp(federation)
  if (isDead || status.startsWith('DELETE_')) throw new StateConflict(`${who}; it can only be deleted.`)
}

const isSame = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key] === value)

/**
 * The properties that a patch leads to; null when it changes nothing. After UPDATE_FAILED the same properties are a change: their update is
 * tried again.
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
  if (federation.status !== 'UPDATE_FAILED' && isSame(properties, federation.properties)) return null
  checkProperties(driver, properties, driver.validateChange(federation.properties, properties))
  demandSettled(federation)
  return properties
}
