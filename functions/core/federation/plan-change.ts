import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { Write } from '../../store/write.ts'
import { StateConflict } from '../errors.ts'
import { isProgressing, type Membership } from '../membership/membership.ts'
import { changeWith, type MembershipStep } from '../membership/membership-steps.ts'
import { type MembersInput, planMembers } from '../membership/plan-members.ts'
import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { newOperation, REPLACED_MAX, replacedBy } from '../operation/launch.ts'
import type { TablePorts } from '../ports.ts'
import { isFailed, withCondition } from '../values/status.ts'
import { quote } from '../values/wording.ts'
import {
  decidingOperation,
  type Federation,
  type FederationOperation,
  type FederationUpdate,
  isInitialized,
  type MembershipChange,
} from './federation.ts'
import { checkProperties } from './properties.ts'
import { membersReady } from './settle.ts'

type Properties = Federation['properties']

/** What a change makes of the properties. @throws InvalidRequest where they can't be changed so */
export type ChangeProperties = (before: Properties) => Properties

/** An update of properties may be replaced by another, nothing else (decision 0023). @throws StateConflict naming what runs */
const requireReplaceable = ({ operation }: Federation, who: string): void => {
  if (operation === null) return
  if (operation.kind !== 'update')
    throw new StateConflict(`${who}: its ${operation.kind} is running. Try again when it is over.`)
  if (operation.supersedes.length >= REPLACED_MAX)
    throw new StateConflict(`${who}: its update was replaced ${REPLACED_MAX} times. Try again when it is over.`)
}

/** @throws StateConflict naming what is in the way */
const requireChangeable = (federation: Federation): void => {
  const { name, id, status } = federation
  const who = `Federation ${quote(name)} (${id}) is ${status}`
  requireReplaceable(federation, who)
  if (status === 'CREATE_IN_PROGRESS') throw new StateConflict(`${who}: its first members are joining. Try again then.`)
  const isDead = status === 'CREATE_FAILED' && !isInitialized(federation)
  if (isDead || status.startsWith('DELETE_')) throw new StateConflict(`${who}; it can only be deleted.`)
}

const isSame = (a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): boolean =>
  Object.keys(a).length === Object.keys(b).length && Object.entries(a).every(([key, value]) => b[key] === value)

/** What the last update that came to a good end put in force. */
const inForce = ({ properties, propertiesInForce }: Federation): Readonly<Record<string, string>> =>
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
 * The properties that a change leads to; null when it changes nothing. After an update that failed the same properties are a change: it is tried
 * again.
 *
 * @throws InvalidRequest, RequestTooLarge, StateConflict
 */
const planProperties = (
  federation: Federation,
  driver: FederationDriverDescription,
  change: ChangeProperties | null,
): Readonly<Record<string, string>> | null => {
  if (change === null) return null
  const properties = change(federation.properties)
  if (isSame(properties, federation.properties) && isReachedOrUnderWay(federation)) return null
  checkProperties(driver, properties, changeFaults(federation, driver, properties))
  requireChangeable(federation)
  return properties
}

/** Everything that a change does, decided and not yet stored. */
export type ChangePlan = {
  federation: Federation
  steps: MembershipStep[]
  /** The update of the federation itself; null when properties stay. */
  operation: FederationOperation | null
  update: FederationUpdate
  /** What else is written with it. */
  writes?: readonly Write[]
}

type Tools = Pick<TablePorts, 'clock' | 'newId'>

/** Memberships as they will be after the steps. */
const after = (memberships: readonly Membership[], steps: readonly MembershipStep[]): Membership[] => {
  const touched = new Set(steps.map((step) => ('next' in step ? step.next.clusterId : step.before.clusterId)))
  const next = steps.flatMap((step) => ('next' in step ? [step.next] : []))
  return [...memberships.filter(({ clusterId }) => !touched.has(clusterId)), ...next]
}

/** A federation that had failed for its members only is whole again when the last failure is dismissed. */
const dismissed = (federation: Federation, left: readonly Membership[]): FederationUpdate => {
  const isFaulty = left.some(({ state }) => state === 'JoinFailed' || state === 'UnjoinFailed')
  const repairs =
    isFailed(federation.status) &&
    decidingOperation(federation) === null &&
    isInitialized(federation) &&
    !isFaulty &&
    !left.some(isProgressing)
  return repairs ? { status: 'UPDATE_COMPLETE', statusReason: null } : {}
}

/** An update in place of one that runs: its flow goes on from wherever that one stopped, since every phase looks before it acts. */
const newUpdate = (tools: Tools, { operation: running }: Federation): FederationOperation =>
  newOperation(tools, 'update', {
    deadlineSeconds: DEADLINE_SECONDS['federation-update'],
    supersedes: running === null ? [] : replacedBy(`federation-${running.kind}`, running),
  })

/** The open run of changes as it is from now on. That an update before this one failed decides nothing any more. */
const changeAfter = (
  { change }: Federation,
  { steps, operation, changeId }: Pick<ChangePlan, 'steps' | 'operation'> & { changeId: string },
): MembershipChange | null => {
  if (operation === null || change === null) return changeWith(change, changeId, steps)
  const { failure: _, ...open } = change
  return changeWith(open, changeId, steps)
}

/** The first members of a federation may still be joining: then it goes on being created. */
const begun = ({ status }: Federation): FederationUpdate => ({
  status: status === 'CREATE_IN_PROGRESS' ? status : 'UPDATE_IN_PROGRESS',
  statusReason: null,
})

const updateOf = (
  tools: Tools,
  { federation, memberships }: MembersInput,
  plan: Pick<ChangePlan, 'steps' | 'operation'> & { changeId: string; properties: Federation['properties'] | null },
): FederationUpdate => {
  const { steps, operation, properties } = plan
  const now = tools.clock.now()
  const left = after(memberships, steps)
  const moves = operation !== null || steps.some(({ kind }) => kind !== 'dismiss')
  return {
    ...(moves ? begun(federation) : dismissed(federation, left)),
    ...(steps.length === 0
      ? {}
      : { conditions: withCondition(federation.conditions, membersReady(federation, left, now)) }),
    ...(properties === null ? {} : { properties, propertiesInForce: inForce(federation), operation }),
    change: changeAfter(federation, plan),
    updatedAt: now.toISOString(),
  }
}

/**
 * Decides a whole change: both kinds of change or none.
 *
 * @returns null when it changes nothing
 * @throws the refusals of the rules
 */
export const planChange = (tools: Tools, input: MembersInput, change: ChangeProperties | null): ChangePlan | null => {
  const { federation, driver } = input
  const changeId = federation.change?.id ?? tools.newId()
  const properties = planProperties(federation, driver, change)
  const steps = planMembers(tools, input, changeId)
  if (properties === null && steps.length === 0) return null
  const operation = properties === null ? null : newUpdate(tools, federation)
  const update = updateOf(tools, input, { steps, operation, changeId, properties })
  return { federation, steps, operation, update }
}
