import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import type { Failure } from '../operation/failure.ts'
import { type Launch, newOperation, replacedBy } from '../operation/launch.ts'
import { type ExecutionRef, type Flow, type WorkloadsWish, workloadsOf } from '../operation/operation.ts'
import type { Ports } from '../ports.ts'
import type { ObjectRef } from '../values/object-ref.ts'
import {
  type JoinFailedMembership,
  type JoiningMembership,
  type LeavingMembership,
  type Membership,
  membershipEntityId,
  operationOf,
  type ReadyMembership,
  type UnjoinFailedMembership,
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
})

/** The executions that a new operation of this membership has to end first: the running one, and those that it had not yet ended. */
export const executionsOf = (membership: Membership): readonly ExecutionRef[] => {
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

/** The membership on its way in, with a new operation: for a waiting one, or one whose join failed and is tried again. */
export const joining = (ports: NewPorts, membership: Membership, changeId: string): JoiningMembership => {
  const supersedes = executionsOf(membership)
  const operation = newOperation(ports, 'join', { deadlineSeconds: DEADLINE_SECONDS['member-join'], supersedes })
  return { ...baseOf(membership), state: 'Joining', changeId, since: operation.startedAt, operation }
}

/** The membership on its way out, with a new operation that replaces whatever runs on it. */
export const leaving = (
  ports: NewPorts,
  membership: Membership,
  { changeId, force, workloads }: { changeId: string; force: boolean; workloads?: WorkloadsWish },
): LeavingMembership => {
  const supersedes = executionsOf(membership)
  const operation = newOperation(ports, 'unjoin', {
    deadlineSeconds: DEADLINE_SECONDS['member-unjoin'],
    force,
    ...workloadsOf(workloads, operationOf(membership)),
    supersedes,
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
