import type { Write } from '../../store/write.ts'
import { memberTokenKey, nextMemberTokenKey } from '../access/credentials.ts'
import { OperationSuperseded } from '../errors.ts'
import type { Federation } from '../federation/federation.ts'
import { refreshMembersReady, settle } from '../federation/settle.ts'
import { forgetEndedGrant } from '../grant/forget-grants.ts'
import { grantKeyOf, memberClusterKey, unmarkMember } from '../grant/loans.ts'
import { renewalAfterFailures, renewalAfterSuccess } from '../operation/deadlines.ts'
import { memberEndEvents, memberEvent } from '../operation/events.ts'
import type { Failure } from '../operation/operation.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import { type MembershipUnder, membershipKey, openMembership, type Target } from '../operation/subjects.ts'
import type { Ports, TablePorts } from '../ports.ts'
import type { ObjectRef } from '../values/object-ref.ts'
import { withoutFullStop } from '../values/wording.ts'
import { noteLeft } from './leftovers.ts'
import { clusterFault } from './member-fault.ts'
import { type MemberCredential, type Membership, type MemberWarning, REPAIR_REFUSED, WITHHELD } from './membership.ts'
import { joinFailed, ready, unjoinFailed } from './membership-states.ts'
import { type Left, leftBehind, listed } from './orphaned.ts'

type EndPorts = Pick<Ports, 'stores' | 'clock' | 'newId'>

const federationKey = (membership: Pick<Membership, 'projectId' | 'federationId'>) => ({
  projectId: membership.projectId,
  id: membership.federationId,
})

/**
 * Runs something that ends a membership, and settles its federation if the end is already written: for a step that is run again after a
 * crash between the two. Settling is safe at any time.
 *
 * @throws OperationSuperseded all the same
 */
export const orSettle = async <T>(ports: EndPorts, target: Target, run: () => Promise<T>): Promise<T> => {
  try {
    return await run()
  } catch (error) {
    if (error instanceof OperationSuperseded) await settle(ports, federationKey(membershipKey(target)))
    throw error
  }
}

/** Commits a membership's end, then settles its federation. */
const end = async (
  ports: EndPorts,
  target: Target,
  writesFor: (membership: MembershipUnder) => Promise<Write[]>,
): Promise<void> => {
  const { loan, clusterId } = await orSettle(ports, target, () =>
    retryOnConflict(async () => {
      const membership = await openMembership(ports, target)
      await ports.stores.commit(await writesFor(membership))
      return membership
    }),
  )
  await settle(ports, federationKey(membershipKey(target)))
  if (loan !== undefined) await forgetEndedGrant(ports, grantKeyOf(loan, clusterId))
}

/** What a membership holds besides itself: its place in `memberIds`, its mark on the cluster, its secrets. */
const released = (ports: EndPorts, membership: Membership): Write[] => [
  ...unmarkMember(ports.stores, membership),
  ...forgotten(ports, membership),
]

const forgotten = ({ stores: { credentials } }: EndPorts, membership: Membership): Write[] => [
  credentials.remove(memberTokenKey(membership)),
  credentials.remove(nextMemberTokenKey(membership)),
]

/**
 * Joined: `Ready`, with what works in part only; `Degraded` where the cluster is known to be unhealthy, of which no change would tell any more.
 *
 * @throws OperationSuperseded
 */
export const endJoin = (ports: EndPorts, target: Target, warning: MemberWarning | null): Promise<void> =>
  end(ports, target, async (membership) => {
    const joined = ready(membership, ports.clock.now())
    const cluster = await ports.stores.clusters.get(memberClusterKey(membership))
    const fault = clusterFault(cluster?.observation ?? null)
    const next: Membership = fault === null ? { ...joined, ...warning } : { ...joined, state: 'Degraded', ...fault }
    return [
      ports.stores.memberships.replace(membership, next),
      ...memberEndEvents(ports, membership, {
        action: 'join',
        outcome: 'success',
        reason: 'Joined',
        message: `${membership.memberName} joined.`,
      }),
      ...(fault === null ? [] : [memberEvent(ports, membership, { action: 'update', outcome: 'failure', ...fault })]),
    ]
  })

/**
 * Writes for a membership that did not get in: `JoinFailed`, out of `memberIds`. The cluster is free again unless something was left behind: to take
 * that away it has to stay registered.
 */
export const joinFailedWrites = (
  ports: EndPorts,
  membership: Membership,
  failure: Failure,
  leftovers: readonly ObjectRef[],
): Write[] => [
  ports.stores.memberships.replace(membership, joinFailed(membership, failure, { leftovers, now: ports.clock.now() })),
  ports.stores.federations.removeMemberId(federationKey(membership), membership.clusterId),
  ...(leftovers.length === 0 ? released(ports, membership) : forgotten(ports, membership)),
  ...memberEndEvents(ports, membership, {
    action: 'join',
    outcome: 'failure',
    reason: failure.reason,
    message: [failure.message, ...leftInWords(leftovers)].join(' '),
  }),
]

/** The join failed and was undone as far as possible. @throws OperationSuperseded */
export const endJoinFailed = (
  ports: EndPorts,
  target: Target,
  failure: Failure,
  leftovers: readonly ObjectRef[],
): Promise<void> => end(ports, target, async (membership) => joinFailedWrites(ports, membership, failure, leftovers))

const leftInWords = (leftovers: readonly ObjectRef[]): string[] =>
  leftovers.length === 0
    ? []
    : [`This was left behind: ${listed(leftovers)}. To take it away, remove the member from the federation.`]

/** Takes the id out of the federation; with something left behind also says so in the open run of changes. */
const withoutMember = (
  ports: EndPorts,
  membership: MembershipUnder,
  federation: Federation | undefined,
  sentence: string | null,
): Write => {
  const { federations } = ports.stores
  const key = federationKey(membership)
  if (sentence === null || federation === undefined) return federations.removeMemberId(key, membership.clusterId)
  const open = federation.change ?? { id: membership.changeId, deadline: membership.operation.deadline }
  const change = { ...open, leftBehind: [...(open.leftBehind ?? []), shownSentence(membership, sentence)] }
  return federations.change(federation, { change }, { remove: [membership.clusterId] })
}

/** What stayed in a cluster of another project is told to that one. */
const shownSentence = ({ loan, memberName }: Membership, sentence: string): string =>
  loan === undefined ? sentence : `${memberName} was removed, and something was left behind. ${WITHHELD}`

/** Left: the membership is gone; the event lists what stayed. @throws OperationSuperseded */
export const endUnjoin = (ports: EndPorts & Pick<TablePorts, 'drivers'>, target: Target, left: Left): Promise<void> =>
  end(ports, target, async (membership) => {
    const federation = await ports.stores.federations.get(federationKey(membership))
    const sentence = leftBehind(ports, federation, membership, left)
    return [
      ports.stores.memberships.remove(membership),
      withoutMember(ports, membership, federation, sentence),
      ...released(ports, membership),
      ...(await noteLeft(ports, { federation, membership }, left.leftovers)),
      ...memberEndEvents(ports, membership, {
        action: 'unjoin',
        outcome: 'success',
        reason: sentence === null ? 'Unjoined' : 'LeftBehind',
        message: sentence ?? `${membership.memberName} left; nothing was left behind.`,
      }),
    ]
  })

const WAY_OUT =
  'It still counts as a member, since something of the federation may be left in it. Make it reachable, or put right what is said here, and remove it again; or remove it with ?force=true, ' +
  'which says what stays behind.'

/** The failure with the way out; without, when the federation is being deleted: then the delete tells its own. */
const withWayOut = async (ports: EndPorts, membership: Membership, failure: Failure): Promise<Failure> => {
  const federation = await ports.stores.federations.get(federationKey(membership))
  if (federation === undefined || federation.status.startsWith('DELETE_')) return failure
  return { ...failure, message: `${withoutFullStop(failure.message)}. ${WAY_OUT}` }
}

/** Leaving failed: still a member, and told how it can leave all the same. @throws OperationSuperseded */
export const endUnjoinFailed = (ports: EndPorts, target: Target, failure: Failure): Promise<void> =>
  end(ports, target, async (membership) => {
    const reported = await withWayOut(ports, membership, failure)
    return [
      ports.stores.memberships.replace(membership, unjoinFailed(membership, reported, ports.clock.now())),
      ...memberEndEvents(ports, membership, { action: 'unjoin', outcome: 'failure', ...reported }),
    ]
  })

/** Without the operation, in the same state. */
const rested = (membership: MembershipUnder, credential: MemberCredential | null): Membership => {
  if (membership.state === 'Ready' || membership.state === 'Degraded')
    return { ...membership, operation: null, credential }
  throw new OperationSuperseded(`The rotation was superseded: the membership is ${membership.state} by now.`)
}

/** What a rotation that ended well was for. */
const rotatedWords = ({ memberName, repair }: Membership) =>
  repair === undefined
    ? ({
        action: 'rotate',
        outcome: 'success',
        reason: 'Rotated',
        message: `The credential of ${memberName} was renewed.`,
      } as const)
    : ({
        action: 'update',
        outcome: 'success',
        reason: 'Repaired',
        message: `${memberName} has again what was missing. ${repair}`,
      } as const)

/** Without what a repair was about, and without the fault that one before it was refused. */
const repaired = ({ repair: _, ...membership }: Membership, now: Date): Membership =>
  membership.state === 'Degraded' && membership.reason === REPAIR_REFUSED
    ? ready(membership, now)
    : (membership as Membership)

/** A member whose repair was refused is not what it says to be: it is Degraded, with what is missing and why it stays so. */
const repairRefused = (membership: Membership, failure: Failure, now: Date): Membership => ({
  ...membership,
  state: 'Degraded',
  operation: null,
  since: now.toISOString(),
  reason: REPAIR_REFUSED,
  message: `${membership.repair} It could not be made again: ${failure.reason}: ${withoutFullStop(failure.message)}.`,
})

/** The control plane has the renewed credential: it becomes the stored one. @throws OperationSuperseded */
export const endRotate = (ports: EndPorts, target: Target, credential: MemberCredential): Promise<void> =>
  retryOnConflict(async () => {
    const { credentials, memberships, commit } = ports.stores
    const membership = await openMembership(ports, target)
    const token = await credentials.get(nextMemberTokenKey(membership))
    const renewAfter = renewalAfterSuccess(credential.renewAfter, ports.clock.now())
    const renewed = token ? { ...credential, renewAfter } : membership.credential
    await commit([
      memberships.replace(membership, repaired(rested(membership, renewed), ports.clock.now())),
      ...(token ? [await credentials.seal(memberTokenKey(membership), token)] : []),
      credentials.remove(nextMemberTokenKey(membership)),
      memberEvent(ports, membership, rotatedWords(membership)),
    ])
  }).then(() => refreshMembersReady(ports, federationKey(membershipKey(target))))

/** The credential as it is due again after a renewal that failed: later each time. */
const failedOnce = (credential: MemberCredential, now: Date): MemberCredential => {
  const failures = (credential.failures ?? 0) + 1
  return { ...credential, failures, renewAfter: renewalAfterFailures(failures, now) }
}

/** The old credential stays; the renewal is due again in ten minutes, and later after each failure. @throws OperationSuperseded */
export const endRotateFailed = (ports: EndPorts, target: Target, failure: Failure): Promise<void> =>
  retryOnConflict(async () => {
    const { credentials, memberships, commit } = ports.stores
    const membership = await openMembership(ports, target)
    const { repair } = membership
    const now = ports.clock.now()
    const credential = membership.credential && failedOnce(membership.credential, now)
    const next =
      repair === undefined
        ? rested(membership, credential)
        : repairRefused(rested(membership, membership.credential), failure, now)
    const said =
      next.state === 'Degraded' && repair !== undefined
        ? ({ action: 'update', reason: next.reason, message: next.message } as const)
        : ({ action: 'rotate', ...failure } as const)
    await commit([
      memberships.replace(membership, next),
      credentials.remove(nextMemberTokenKey(membership)),
      memberEvent(ports, membership, { ...said, outcome: 'failure' }),
    ])
  }).then(() => refreshMembersReady(ports, federationKey(membershipKey(target))))
