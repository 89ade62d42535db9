import { DriverNotFound } from '../../drivers/contract/errors.ts'
import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { Federation } from '../federation/federation.ts'
import type { MembershipUnder } from '../operation/subjects.ts'
import type { TablePorts } from '../ports.ts'
import { describeObject, type ObjectRef } from '../values/object-ref.ts'
import type { Membership } from './membership.ts'

/** What stays of a member that leaves: objects of ours, and what the driver says of the workloads in it. */
export type Left = { leftovers: readonly ObjectRef[]; warnings?: readonly string[] }

/** Objects in one line, each with its kind and where it is. */
export const listed = (refs: readonly ObjectRef[]): string => refs.map(describeObject).join(', ')

/** Undefined where the driver is not part of this build any more: what it would say is left out. */
const driverOf = (
  { drivers }: Pick<TablePorts, 'drivers'>,
  federation: Federation | undefined,
): FederationDriverDescription | undefined => {
  try {
    return federation && drivers.federation.resolve(federation.driver)
  } catch (error) {
    if (error instanceof DriverNotFound) return undefined
    throw error
  }
}

/** Which credential outlives a member that was not cleaned: a token is valid as long as its ServiceAccount is there. */
const stillValid = ({ credential }: Membership, leftovers: readonly ObjectRef[]): string[] => {
  const account = leftovers.some((ref) => ref.where === 'member' && ref.kind === 'ServiceAccount')
  if (credential === null || !account) return []
  return credential.expiresAt === null
    ? ['Its token stays valid until the ServiceAccount or its Secret is deleted there.']
    : [`Its token stays valid until ${credential.expiresAt}.`]
}

/** What the federation brought is not written down: a member that was not cleaned, or not taken out in good order, has it still. */
const workloadsLeft = (
  { operation }: MembershipUnder,
  { leftovers, warnings = [] }: Left,
  driver: FederationDriverDescription | undefined,
): string[] => {
  if (warnings.length > 0) return [...warnings]
  if (leftovers.length === 0 || driver?.capabilities.workloads !== true) return []
  const stay =
    operation.workloads === 'delete'
      ? 'The workloads that were to be removed may still be in it.'
      : 'The workloads of the federation stay in it.'
  return [stay, ...(driver.findWorkloads === undefined ? [] : [driver.findWorkloads])]
}

/** What is said of a member that was removed without being cleaned, or with workloads that nobody took back; null when nothing stayed. */
export const leftBehind = (
  ports: Pick<TablePorts, 'drivers'>,
  federation: Federation | undefined,
  membership: MembershipUnder,
  left: Left,
): string | null => {
  const { leftovers } = left
  const objects = leftovers.length === 0 ? '' : `, but this was left behind: ${listed(leftovers)}`
  const more = [...stillValid(membership, leftovers), ...workloadsLeft(membership, left, driverOf(ports, federation))]
  if (objects === '' && more.length === 0) return null
  return [`${membership.memberName} was removed${objects}.`, ...more].join(' ')
}
