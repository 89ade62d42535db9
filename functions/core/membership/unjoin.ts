import type { Write } from '../../store/write.ts'
import { memberEvent } from '../operation/events.ts'
import { launch } from '../operation/launch.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import type { Membership } from './membership.ts'
import { type DesiredUnjoin, launchOf } from './membership-states.ts'
import { aboutOf, leaveStep, type MembershipStep, stepWrites } from './membership-steps.ts'

type LeavePorts = Pick<Ports, 'stores' | 'executions' | 'clock' | 'newId' | 'log'>

/**
 * True when this request has been answered: its leaving is under way on behalf of it, or of one that is no weaker; or it failed to leave in
 * this very run, which is an answer too.
 */
const isAnswered = (membership: Membership, request: DesiredUnjoin): boolean =>
  membership.state === 'Leaving'
    ? (membership.operation.force || !request.force) &&
      (membership.operation.workloads === 'delete' || request.workloads !== 'delete')
    : membership.state === 'UnjoinFailed' && membership.changeId === request.changeId

/** A step's writes outside of a request: what a request says of all of its steps at once is said here of one. */
const writesOf = (ports: LeavePorts, step: MembershipStep): Write[] => {
  const { projectId, federationId, clusterId, memberName, revision } = aboutOf(step)
  const said =
    step.kind === 'dismiss'
      ? ({
          outcome: 'success',
          reason: 'Dismissed',
          message: `${memberName} was dismissed before it was a member.`,
        } as const)
      : ({ outcome: 'pending', reason: 'Leaving', message: `${memberName} leaves.` } as const)
  return [
    ...stepWrites(ports, step),
    ...(step.kind === 'dismiss'
      ? [ports.stores.federations.removeMemberId({ projectId, id: federationId }, clusterId)]
      : []),
    memberEvent(ports, { projectId, federationId, clusterId, revision }, { ...said, action: 'unjoin' }),
  ]
}

/**
 * Turns a membership into a leaving one and launches its unjoin, which first ends whatever runs on it. One that waits, or whose join
 * failed and left nothing behind, is removed at once. Asking again is no error; to try again after a failure takes another run of changes.
 */
export const leave = async (ports: LeavePorts, seen: Membership, request: DesiredUnjoin): Promise<void> => {
  const next = await retryOnConflict(async () => {
    const { memberships, commit } = ports.stores
    const membership = await memberships.get(seen)
    if (membership === undefined || isAnswered(membership, request)) return membership
    const step = leaveStep(ports, membership, request)
    await commit(writesOf(ports, step))
    return 'next' in step ? step.next : undefined
  })
  if (next?.state === 'Leaving') await launch(ports, launchOf(next))
}
