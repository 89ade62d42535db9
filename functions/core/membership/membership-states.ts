import type { Loan } from '../grant/grant.ts'
import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { type Launch, newOperation, replacedBy } from '../operation/launch.ts'
import {
  type DesiredWorkloads,
  type ExecutionRef,
  type Failure,
  type Flow,
  workloadsOf,
} from '../operation/operation.ts'
import type { Ports } from '../ports.ts'
import { mergeObjectRefs, type ObjectRef } from '../values/object-ref.ts'
import {
  type JoinFailedMembership,
  type JoiningMembership,
  type LeavingMembership,
  type Membership,
  membershipEntityId,
  operationOf,
  type ReadyMembership,
  type UnjoinFailedMembership,
  type WaitingMembership,
} from './membership.ts'

type Base = Omit<Membership, 'state'>
type NewPorts = Pick<Ports, 'clock' | 'newId'>

const FLOW_OF = { join: 'member-join', unjoin: 'member-unjoin', rotate: 'credential-rotate' } as const

/** The state machine that runs a membership's operation. */
export const flowOfMembership = (kind: keyof typeof FLOW_OF): Flow => FLOW_OF[kind]

const baseOf = (membership: Membership): Base => ({
  projectId: membership.projectId,
  federationId: membership.federationId,
  clusterId: membership.clusterId,
  memberName: membership.memberName,
  revision: membership.revision,
  changeId: membership.changeId,
  since: membership.since,
  made: membership.made,
  credential: membership.credential,
  ...(membership.loan === undefined ? {} : { loan: membership.loan }),
  ...(membership.selectedBy === undefined ? {} : { selectedBy: membership.selectedBy }),
})

/** The executions that a new operation of this membership has to end first: the running one, and those that it had not yet ended. */
const executionsOf = (membership: Membership): readonly ExecutionRef[] => {
  const operation = operationOf(membership)
  return operation === null ? [] : replacedBy(flowOfMembership(operation.kind), operation)
}

/** How to launch the operation that a membership carries. */
export const launchOf = (membership: JoiningMembership | LeavingMembership): Launch => ({
  flow: flowOfMembership(membership.operation.kind),
  projectId: membership.projectId,
  entityId: membershipEntityId(membership),
  operation: membership.operation,
})

type NewMember = {
  federation: { projectId: string; id: string }
  clusterId: string
  changeId: string
  since: string
  memberName: string
  loan?: Loan | undefined
}

/** The first record of a member: it waits until it is sent on to join. */
export const newMember = ({ federation, loan, ...rest }: NewMember): WaitingMembership => ({
  projectId: federation.projectId,
  federationId: federation.id,
  ...rest,
  ...(loan === undefined ? {} : { loan }),
  revision: 1,
  made: [],
  credential: null,
  state: 'Waiting',
})

/** The membership on its access, with a new operation: for a new or waiting one, or one whose join failed and is tried again. */
export const joining = (
  ports: NewPorts,
  membership: WaitingMembership | JoinFailedMembership,
  changeId: string,
): JoiningMembership => {
  const operation = newOperation(ports, 'join', { deadlineSeconds: DEADLINE_SECONDS['member-join'] })
  const made = mergeObjectRefs(membership.made, membership.state === 'JoinFailed' ? membership.leftovers : [])
  return { ...baseOf(membership), made, state: 'Joining', changeId, since: operation.startedAt, operation }
}

/** Which run of changes an unjoin belongs to, whether it skips what can't be reached, and what becomes of the member's workloads. */
export type DesiredUnjoin = { changeId: string; force: boolean; workloads?: DesiredWorkloads }

/** The membership on its way out, with a new operation that replaces whatever runs on it, and is no weaker than that. */
export const leaving = (
  ports: NewPorts,
  membership: Membership,
  { changeId, force, workloads }: DesiredUnjoin,
): LeavingMembership => {
  const running = operationOf(membership)
  const operation = newOperation(ports, 'unjoin', {
    deadlineSeconds: DEADLINE_SECONDS['member-unjoin'],
    force: force || running?.force === true,
    ...workloadsOf(workloads, running),
    supersedes: executionsOf(membership),
  })
  return { ...baseOf(membership), state: 'Leaving', changeId, since: operation.startedAt, operation }
}

/** Part of the federation, with nothing running. */
export const ready = (membership: Membership, now: Date): ReadyMembership => ({
  ...baseOf(membership),
  state: 'Ready',
  since: membership.state === 'Ready' ? membership.since : now.toISOString(),
  operation: null,
})

/** Out again: keeps only what undo could not take back. */
export const joinFailed = (
  membership: Membership,
  failure: Failure,
  { leftovers, now }: { leftovers: readonly ObjectRef[]; now: Date },
): JoinFailedMembership => ({
  ...baseOf(membership),
  state: 'JoinFailed',
  since: now.toISOString(),
  made: leftovers,
  credential: null,
  leftovers,
  ...failure,
})

/** Still a member, because leaving failed. */
export const unjoinFailed = (membership: Membership, failure: Failure, now: Date): UnjoinFailedMembership => ({
  ...baseOf(membership),
  state: 'UnjoinFailed',
  since: now.toISOString(),
  ...failure,
})
