import type { MembershipKey } from '../../store/federation.store.ts'
import type { Write } from '../../store/write.ts'
import { StateConflict } from '../errors.ts'
import { isInitialized } from '../federation/federation.ts'
import { isLive } from '../grant/grant.ts'
import { grantKeyOf } from '../grant/loans.ts'
import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { memberEvent } from '../operation/events.ts'
import { launch, newOperation } from '../operation/launch.ts'
import type { Failure } from '../operation/operation.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports, TablePorts } from '../ports.ts'
import {
  type DegradedMembership,
  type JoiningMembership,
  type Membership,
  membershipEntityId,
  type ReadyMembership,
} from './membership.ts'
import { joinFailedWrites } from './membership-end.ts'
import { type DesiredUnjoin, joining, launchOf } from './membership-states.ts'
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

type InRest = ReadyMembership | DegradedMembership

/** What a grant gave is not renewed once that is over: the member is on its way out. */
const isLentStill = async (
  { stores }: Pick<TablePorts, 'stores'>,
  { loan, clusterId }: Membership,
  now: string,
): Promise<boolean> => {
  if (loan === undefined) return true
  const grant = await stores.grants.get(grantKeyOf(loan, clusterId))
  return grant !== undefined && isLive(grant, now)
}

/** The membership, if its credential is due and nothing runs on it. The index it came from may lag. */
const dueMembership = async (ports: TablePorts, key: MembershipKey, now: string): Promise<InRest | undefined> => {
  const membership = await ports.stores.memberships.get(key)
  if (membership?.state !== 'Ready' && membership?.state !== 'Degraded') return undefined
  const renewAfter = membership.credential?.renewAfter ?? null
  if (membership.operation !== null || renewAfter === null || renewAfter > now) return undefined
  return (await isLentStill(ports, membership, now)) ? membership : undefined
}

type Begun = Pick<Parameters<typeof memberEvent>[2], 'action' | 'reason' | 'message'>

/** A rotation, and what else is stored with it. @throws RevisionConflict when something else began on the membership */
const beginRotate = async (
  ports: LeavePorts,
  membership: InRest,
  begun: Begun,
  { revokes, repair }: { revokes?: true; repair?: string } = {},
): Promise<void> => {
  const deadlineSeconds = DEADLINE_SECONDS['credential-rotate']
  const operation = newOperation(ports, 'rotate', { deadlineSeconds, ...(revokes && { revokes }) })
  await ports.stores.commit([
    ports.stores.memberships.replace(membership, {
      ...membership,
      operation,
      ...(repair === undefined ? {} : { repair }),
    }),
    memberEvent(ports, membership, { outcome: 'pending', ...begun }),
  ])
  const { projectId } = membership
  await launch(ports, { flow: 'credential-rotate', projectId, entityId: membershipEntityId(membership), operation })
}

/** Renews a member's credential if it is due; true when that began. @throws RevisionConflict when something else began on the membership */
export const rotateCredential = async (ports: TablePorts, key: MembershipKey, now: string): Promise<boolean> => {
  const membership = await dueMembership(ports, key, now)
  if (membership === undefined) return false
  const message = `The credential of ${membership.memberName} is being renewed.`
  await beginRotate(ports, membership, { action: 'rotate', reason: 'RenewalDue', message })
  return true
}

/** Why a member's credential can't be made worthless now, as a sentence; undefined when it can. */
export const revocationFault = async (ports: TablePorts, membership: Membership): Promise<string | undefined> => {
  const { memberName, state } = membership
  if (state !== 'Ready' && state !== 'Degraded')
    return `Member ${memberName} is ${state}; it has to be Ready or Degraded.`
  if (membership.operation !== null)
    return `The credential of ${memberName} is being renewed; try again when that is over.`
  const isLent = await isLentStill(ports, membership, ports.clock.now().toISOString())
  return isLent ? undefined : `The grant for ${memberName} is over, and it leaves.`
}

/**
 * Makes every credential worthless that the control plane has of a member, and gives it another one: for one that may be known to somebody. Until then it has no
 * way into the member, for some seconds.
 *
 * @throws StateConflict
 */
export const revokeCredential = (ports: TablePorts, key: MembershipKey): Promise<void> =>
  retryOnConflict(async () => {
    const membership = await ports.stores.memberships.get(key)
    if (membership === undefined) throw new StateConflict('The cluster is no member any more.')
    const fault = await revocationFault(ports, membership)
    if (fault !== undefined) throw new StateConflict(fault)
    const message = `The credential of ${membership.memberName} is being revoked, and replaced.`
    const begun = { action: 'rotate', reason: 'RotationRequested', message } as const
    await beginRotate(ports, membership as InRest, begun, { revokes: true })
  })

/** Characters of what was found: it is stored and told. */
const FOUND_MAX = 1000

/**
 * Has what is missing of a resting member made again, by a new credential and its publication, which make all else besides. Nothing happens when something
 * else began on the membership.
 */
export const beginRepair = async (ports: LeavePorts, seen: InRest, found: readonly string[]): Promise<void> => {
  if (!(await isLentStill(ports, seen, ports.clock.now().toISOString()))) return
  const repair = found.join(' ').slice(0, FOUND_MAX)
  await beginRotate(ports, seen, { action: 'update', reason: 'Repairing', message: repair }, { repair })
}

type WaitingPorts = Pick<Ports, 'stores' | 'executions' | 'clock' | 'newId' | 'log'>
type Key = { projectId: string; id: string }

/** Waiting → Joining; undefined when it is no longer waiting. */
const sendOne = (ports: WaitingPorts, seen: Membership, changeId: string): Promise<JoiningMembership | undefined> =>
  retryOnConflict(async () => {
    const membership = await ports.stores.memberships.get(seen)
    if (membership?.state !== 'Waiting') return undefined
    const next = joining(ports, membership, changeId)
    await ports.stores.commit([ports.stores.memberships.replace(membership, next)])
    return next
  })

/**
 * Sends the memberships that waited for the control plane on to join, each with its own execution. Those that are joining already are
 * launched again, which does nothing unless their execution was never started. Nothing happens before the control plane came up.
 */
export const sendWaiting = async (ports: WaitingPorts, key: Key): Promise<void> => {
  const federation = await ports.stores.federations.get(key)
  if (federation === undefined || !isInitialized(federation)) return
  const memberships = await ports.stores.memberships.listOf(key)
  await Promise.all(
    memberships.map(async (seen) => {
      const joins = seen.state === 'Joining' ? seen : await sendOne(ports, seen, federation.change?.id ?? seen.changeId)
      if (joins !== undefined) await launch(ports, launchOf(joins))
    }),
  )
}

/** Ends the memberships that waited for a control plane that will not come. */
export const failWaiting = async (ports: WaitingPorts, key: Key, failure: Failure): Promise<void> => {
  const memberships = await ports.stores.memberships.listOf(key)
  const waiting = memberships.filter((membership) => membership.state === 'Waiting')
  await Promise.all(
    waiting.map((seen) =>
      retryOnConflict(async () => {
        const membership = await ports.stores.memberships.get(seen)
        if (membership?.state !== 'Waiting') return
        await ports.stores.commit(joinFailedWrites(ports, membership, failure, []))
      }),
    ),
  )
}
