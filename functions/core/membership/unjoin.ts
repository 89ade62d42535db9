import type { Write } from '../../store/write.ts'
import { memberEvent } from '../operation/events.ts'
import { launch } from '../operation/launch.ts'
import type { WorkloadsWish } from '../operation/operation.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import { type Membership, operationOf } from './membership.ts'
import { launchOf, leaving } from './membership-states.ts'

type LeavePorts = Pick<Ports, 'stores' | 'executions' | 'clock' | 'newId' | 'log'>

/** Which run of changes asks, whether it skips what can't be reached, and what becomes of the member's workloads. */
export type LeaveRequest = { changeId: string; force: boolean; workloads?: WorkloadsWish }

/** Nothing was ever made for it: it goes at once. */
const removed = (ports: LeavePorts, membership: Membership): Write[] => [
  ports.stores.memberships.remove(membership),
  ports.stores.federations.removeMemberId(
    { projectId: membership.projectId, id: membership.federationId },
    membership.clusterId,
  ),
  ports.stores.clusters.removeUses({ projectId: membership.projectId, id: membership.clusterId }, [
    `member:${membership.federationId}`,
  ]),
  memberEvent(ports, membership, {
    action: 'unjoin',
    outcome: 'success',
    reason: 'Dismissed',
    message: `${membership.memberName} was dismissed before it was a member.`,
  }),
]

/**
 * True when this request has been answered: its leaving is under way on behalf of it, or of one that is no weaker; or it failed to leave in
 * this very run, which is an answer too.
 */
const isAnswered = (membership: Membership, request: LeaveRequest): boolean =>
  membership.state === 'Leaving'
    ? (membership.operation.force || !request.force) &&
      (membership.operation.workloads === 'delete' || request.workloads !== 'delete')
    : membership.state === 'UnjoinFailed' && membership.changeId === request.changeId

/**
 * Turns a membership into a leaving one and launches its unjoin, which first ends whatever runs on it. One that waits, or whose join
 * failed and left nothing behind, is removed at once. Asking again is no error; to try again after a failure takes another run of changes.
 */
export const leave = async (ports: LeavePorts, seen: Membership, request: LeaveRequest): Promise<void> => {
  const next = await retryOnConflict(async () => {
    const { memberships, commit } = ports.stores
    const membership = await memberships.get(seen)
    if (membership === undefined || isAnswered(membership, request)) return membership
    if (membership.state === 'Waiting' || (membership.state === 'JoinFailed' && membership.leftovers.length === 0)) {
      await commit(removed(ports, membership))
      return undefined
    }
    const force = request.force || operationOf(membership)?.force === true
    const left = leaving(ports, membership, { ...request, force })
    await commit([
      memberships.replace(membership, left),
      memberEvent(ports, membership, {
        action: 'unjoin',
        outcome: 'pending',
        reason: 'Leaving',
        message: `${membership.memberName} leaves.`,
      }),
    ])
    return left
  })
  if (next?.state === 'Leaving') await launch(ports, launchOf(next))
}
