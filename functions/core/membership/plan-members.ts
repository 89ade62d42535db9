import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { InvalidRequest, StateConflict } from '../errors.ts'
import { CONTROL_PLANE_READY, type Federation, isInitialized } from '../federation/federation.ts'
import {
  requireChangesFit,
  requireDistinct,
  requireHostMayJoin,
  requireLoansFit,
  requireReachableKind,
  requireUsable,
} from '../federation/federation-rules.ts'
import type { UsedCluster } from '../grant/loans.ts'
import type { DesiredWorkloads } from '../operation/operation.ts'
import type { TablePorts } from '../ports.ts'
import { isConditionTrue } from '../values/status.ts'
import { quote, withoutFullStop } from '../values/wording.ts'
import type { Membership } from './membership.ts'
import { joinStep, leaveStep, type MembershipStep, type NamesElsewhere } from './membership-steps.ts'

/** A federation with all its memberships, as they were read. */
export type Membered = { federation: Federation; memberships: readonly Membership[] }

/** Clusters to join and memberships to end. */
export type MemberTargets = { join: UsedCluster[]; leave: Membership[] }

export type MembersInput = Membered & {
  targets: MemberTargets
  driver: FederationDriverDescription
  drivers: DriverDescriptions
  elsewhere: NamesElsewhere
  force: boolean
  workloads?: DesiredWorkloads
}

const nameOf = ({ name, id }: Federation): string => `Federation ${quote(name)} (${id})`

/** Deleting, or not yet created: nobody joins or leaves. @throws StateConflict naming what runs */
const requireMovable = (federation: Federation): void => {
  if (federation.status.startsWith('DELETE_')) {
    throw new StateConflict(`${nameOf(federation)} is ${federation.status}; its members can't be changed any more.`)
  }
  if (federation.operation?.kind === 'create') {
    throw new StateConflict(
      `${nameOf(federation)} is ${federation.status}: its create is running. Try again when it is over.`,
    )
  }
}

/** Joins need a control plane. @throws StateConflict */
const requireControlPlane = (federation: Federation): void => {
  if (isConditionTrue(federation.conditions, CONTROL_PLANE_READY)) return
  const fault = federation.conditions.find(({ type }) => type === CONTROL_PLANE_READY)
  const why = fault === undefined ? '' : ` (${fault.reason}: ${withoutFullStop(fault.message)})`
  const remedy = isInitialized(federation) ? 'Try again when it is' : 'Delete the federation and create it again'
  throw new StateConflict(
    `${nameOf(federation)} is ${federation.status} and its control plane is not ready${why}. ${remedy}.`,
  )
}

const requireNotBoth = ({ join, leave }: MemberTargets): void => {
  const both = join.find(({ id }) => leave.some(({ clusterId }) => clusterId === id))
  if (both === undefined) return
  throw new InvalidRequest(`Cluster ${quote(both.name)} (${both.id}) is both added and removed. Do one of them.`)
}

const requireMayJoin = (input: MembersInput, cluster: UsedCluster, before: Membership | undefined): void => {
  const { driver, drivers, federation } = input
  const who = `Cluster ${quote(cluster.name)} (${cluster.id})`
  if (before !== undefined && before.state !== 'JoinFailed') {
    const why = {
      Leaving: 'is being unjoined; add it again when that is over',
      UnjoinFailed: 'is still a member because its unjoin failed; remove it again first',
    }[before.state as string]
    throw new StateConflict(`${who} ${why ?? `is a member of the federation already (${before.state})`}.`)
  }
  requireHostMayJoin(driver, federation.hostClusterId, cluster)
  requireUsable(cluster, 'member')
  requireReachableKind(driver, drivers, cluster)
}

/** An unjoin that runs is not begun again, except to force it. @throws StateConflict */
const requireMayLeave = (membership: Membership, force: boolean): void => {
  if (membership.state === 'Waiting') {
    throw new StateConflict(
      `The join of ${membership.memberName} (${membership.clusterId}) is about to begin. Try again then.`,
    )
  }
  if (membership.state !== 'Leaving') return
  if (force && !membership.operation.force) return
  const hint = membership.operation.force ? '' : '; "?force=true" ends it without what can\'t be reached'
  throw new StateConflict(`The unjoin of ${membership.memberName} (${membership.clusterId}) is running already${hint}.`)
}

const requireAllowed = (input: MembersInput): void => {
  const { federation, memberships, targets, force } = input
  requireChangesFit(targets.join.length + targets.leave.length)
  requireLoansFit(targets.join, targets.leave.length)
  requireNotBoth(targets)
  requireDistinct(targets.join, '"add /member_ids"')
  requireDistinct(
    targets.leave.map(({ clusterId, memberName }) => ({ id: clusterId, name: memberName })),
    '"remove /member_ids"',
  )
  requireMovable(federation)
  if (targets.join.length > 0) requireControlPlane(federation)
  for (const cluster of targets.join) {
    const before = memberships.find(({ clusterId }) => clusterId === cluster.id)
    requireMayJoin(input, cluster, before)
  }
  for (const membership of targets.leave) requireMayLeave(membership, force)
}

/**
 * Decides all membership changes of a request, or refuses them all.
 *
 * @param changeId the run of changes that they belong to
 * @throws StateConflict, InvalidRequest, ClusterNotUsable
 */
export const planMembers = (
  tools: Pick<TablePorts, 'clock' | 'newId'>,
  input: MembersInput,
  changeId: string,
): MembershipStep[] => {
  const { federation, memberships, targets, force, workloads } = input
  if (targets.join.length + targets.leave.length === 0) return []
  requireAllowed(input)
  const takenNames = new Set(memberships.map(({ memberName }) => memberName))
  const joins = targets.join.map((cluster) => {
    const before = memberships.find(({ clusterId }) => clusterId === cluster.id)
    const failed = before?.state === 'JoinFailed' ? before : null
    const elsewhere = input.elsewhere.get(cluster.id)
    const step = joinStep(tools, { federation, cluster, before: failed, changeId, takenNames, elsewhere })
    takenNames.add(step.next.memberName)
    return step
  })
  return [...joins, ...targets.leave.map((membership) => leaveStep(tools, membership, { changeId, force, workloads }))]
}
