import type { Cluster } from '../../core/cluster/cluster.ts'
import type { Federation, MembershipChange } from '../../core/federation/federation.ts'
import { memberNameFor } from '../../core/membership/member-name.ts'
import type {
  JoinFailedMembership,
  JoiningMembership,
  LeavingMembership,
  Membership,
} from '../../core/membership/membership.ts'
import { operationOf } from '../../core/membership/membership.ts'
import { executionsOf } from '../../core/membership/membership-states.ts'
import { DEADLINE_SECONDS } from '../../core/operation/deadlines.ts'
import { newOperation } from '../../core/operation/launch.ts'
import { type WorkloadsWish, workloadsOf } from '../../core/operation/operation.ts'
import type { TablePorts } from '../../core/ports.ts'
import { mergeObjectRefs } from '../../core/values/object-ref.ts'

/** A change of one membership, decided and not yet stored. */
export type MembershipStep =
  | { kind: 'join'; cluster: Cluster; before: JoinFailedMembership | null; next: JoiningMembership }
  | { kind: 'unjoin'; before: Membership; next: LeavingMembership }
  /** A failed join that left nothing behind and is forgotten. */
  | { kind: 'dismiss'; before: JoinFailedMembership }

type Tools = Pick<TablePorts, 'clock' | 'newId'>

export type JoinInput = {
  federation: Pick<Federation, 'projectId' | 'id'>
  cluster: Cluster
  before: JoinFailedMembership | null
  changeId: string
  /** Member names in use in the federation. */
  takenNames: ReadonlySet<string>
  /** Names of the cluster elsewhere that it must not have here too. */
  elsewhere?: ReadonlySet<string> | undefined
}

/** A new name, or that of the failed join: unless another federation has it by now, and nothing is left under it. */
const nameFor = ({ federation, cluster, before, takenNames, elsewhere = new Set() }: JoinInput): string => {
  if (before !== null && (before.leftovers.length > 0 || !elsewhere.has(before.memberName))) return before.memberName
  const taken = new Set([...takenNames, ...elsewhere])
  return memberNameFor(cluster, taken, elsewhere.size === 0 ? '' : federation.id)
}

/** A join, or the retry of a failed one under its old name: what that one left behind stays on the list of what was made. */
export const joinStep = (tools: Tools, input: JoinInput): MembershipStep => {
  const { federation, cluster, before, changeId } = input
  const operation = newOperation(tools, 'join', { deadlineSeconds: DEADLINE_SECONDS['member-join'] })
  const next: JoiningMembership = {
    projectId: federation.projectId,
    federationId: federation.id,
    clusterId: cluster.id,
    memberName: nameFor(input),
    revision: (before?.revision ?? 0) + 1,
    changeId,
    since: operation.startedAt,
    made: before === null ? [] : mergeObjectRefs(before.made, before.leftovers),
    credential: null,
    state: 'Joining',
    operation,
  }
  return { kind: 'join', cluster, before, next }
}

/** Which run of changes an unjoin belongs to, and how it is done. */
export type UnjoinWish = { changeId: string; force: boolean; workloads?: WorkloadsWish }

/** An unjoin; whatever runs on the membership is replaced. */
export const unjoinStep = (
  tools: Tools,
  before: Membership,
  { changeId, force, workloads }: UnjoinWish,
): MembershipStep => {
  const operation = newOperation(tools, 'unjoin', {
    deadlineSeconds: DEADLINE_SECONDS['member-unjoin'],
    force,
    ...workloadsOf(workloads, operationOf(before)),
    supersedes: executionsOf(before),
  })
  const { projectId, federationId, clusterId, memberName, made, credential } = before
  const next: LeavingMembership = {
    ...{ projectId, federationId, clusterId, memberName, made, credential },
    revision: before.revision + 1,
    changeId,
    since: operation.startedAt,
    state: 'Leaving',
    operation,
  }
  return { kind: 'unjoin', before, next }
}

/** The open run of membership changes with these steps in it; unchanged when none of them moves. */
export const changeWith = (
  open: MembershipChange | null,
  id: string,
  steps: readonly MembershipStep[],
): MembershipChange | null => {
  const deadlines = steps.flatMap((step) => (step.kind === 'dismiss' ? [] : [step.next.operation.deadline]))
  if (deadlines.length === 0) return open
  const latest = [...deadlines, ...(open === null ? [] : [open.deadline])].sort().at(-1) ?? ''
  return { ...open, id, deadline: latest }
}
