import {
  cameUp,
  decidingOperation,
  type Federation,
  type FederationOperation,
  type FederationUpdate,
  type MembershipChange,
} from '../../core/federation/federation.ts'
import { membersReady } from '../../core/federation/settle.ts'
import { isMoving, type Membership } from '../../core/membership/membership.ts'
import { DEADLINE_SECONDS } from '../../core/operation/deadlines.ts'
import { newOperation, replacedBy } from '../../core/operation/launch.ts'
import type { TablePorts } from '../../core/ports.ts'
import { withCondition } from '../../core/values/condition.ts'
import { isFailed } from '../../core/values/status.ts'
import type { FederationPatch } from './federation-patch.ts'
import { changeWith, type MembershipStep } from './membership-steps.ts'
import { type MembersInput, planMembers } from './plan-members.ts'
import { inForce, planProperties } from './plan-properties.ts'

/** Everything that a PATCH does, decided and not yet stored. */
export type PatchPlan = {
  federation: Federation
  steps: MembershipStep[]
  /** The update of the federation itself; null when properties stay. */
  operation: FederationOperation | null
  update: FederationUpdate
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
  const mends =
    isFailed(federation.status) &&
    decidingOperation(federation) === null &&
    cameUp(federation) &&
    !isFaulty &&
    !left.some(isMoving)
  return mends ? { status: 'UPDATE_COMPLETE', statusReason: null } : {}
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
  { steps, operation, changeId }: Pick<PatchPlan, 'steps' | 'operation'> & { changeId: string },
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
  plan: Pick<PatchPlan, 'steps' | 'operation'> & { changeId: string; properties: Federation['properties'] | null },
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
 * Decides a whole PATCH: both kinds of change or none.
 *
 * @returns null when it changes nothing
 * @throws the refusals of the rules
 */
export const planPatch = (tools: Tools, input: MembersInput, patch: FederationPatch): PatchPlan | null => {
  const { federation, driver } = input
  const changeId = federation.change?.id ?? tools.newId()
  const properties = planProperties(federation, driver, patch.properties)
  const steps = planMembers(tools, input, changeId)
  if (properties === null && steps.length === 0) return null
  const operation = properties === null ? null : newUpdate(tools, federation)
  const update = updateOf(tools, input, { steps, operation, changeId, properties })
  return { federation, steps, operation, update }
}
