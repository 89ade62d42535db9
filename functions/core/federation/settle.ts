import type { Write } from '../../store/write.ts'
import { faultOf, isMember, isProgressing, type Membership } from '../membership/membership.ts'
import { ownerEvent } from '../operation/events.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import { type Condition, isInProgress, withCondition } from '../values/status.ts'
import { counted, withoutFullStop } from '../values/wording.ts'
import {
  decidingOperation,
  type Federation,
  type FederationUpdate,
  isInitialized,
  MEMBERS_READY,
} from './federation.ts'

/** `1 member is`, `2 members are`. */
const withIs = (count: number): string => `${counted(count, 'member')} ${count === 1 ? 'is' : 'are'}`

/** After the members that failed in a create whose control plane came up. */
const USABLE = 'To try again, add what failed to member_ids again.'

type SettlePorts = Pick<Ports, 'stores' | 'clock' | 'newId'>

/** `a: why; b: why.` of memberships that are not as asked. */
const nameFaults = (memberships: readonly Membership[]): string =>
  `${memberships.map((it) => `${it.memberName}: ${withoutFullStop(faultOf(it)?.message ?? it.state)}`).join('; ')}.`

/** Condition `MembersReady`: reasons `AllReady`, `NoMembers`, `MembersMoving`, `MembersNotReady`. */
export const membersReady = (federation: Federation, memberships: readonly Membership[], now: Date): Condition => {
  const faulty = memberships.filter((membership) => faultOf(membership) !== undefined)
  const moving = memberships.filter(isProgressing)
  const ready = memberships.filter(isMember).length
  const about = { type: MEMBERS_READY, observedRevision: federation.revision + 1, changedAt: now.toISOString() }
  if (faulty.length > 0) return { ...about, status: 'False', reason: 'MembersNotReady', message: nameFaults(faulty) }
  if (moving.length > 0)
    return { ...about, status: 'Unknown', reason: 'MembersMoving', message: `${withIs(moving.length)} moving.` }
  return ready === 0
    ? { ...about, status: 'True', reason: 'NoMembers', message: 'The federation has no members.' }
    : { ...about, status: 'True', reason: 'AllReady', message: `${withIs(ready)} ready.` }
}

type Verdict = { outcome: 'COMPLETE' | 'FAILED'; reason: string; statusReason: string | null }

const isUsableCreate = (federation: Federation): boolean =>
  federation.status === 'CREATE_IN_PROGRESS' && isInitialized(federation)

/** What an update that failed left: whatever succeeds after it, properties that are shown are not those that are in force. */
const notInForce = ({ properties, propertiesInForce }: Federation): string[] => {
  const before = propertiesInForce ?? properties
  const keys = [...new Set([...Object.keys(before), ...Object.keys(properties)])]
  const differing = keys.filter((key) => before[key] !== properties[key]).sort()
  return differing.length === 0
    ? []
    : [`Not in force since an update failed: ${differing.join(', ')}. Send the properties again, or those of before.`]
}

const judge = (federation: Federation, memberships: readonly Membership[]): Verdict => {
  const { change } = federation
  const failed = memberships.filter(
    (membership) =>
      membership.changeId === change?.id && (membership.state === 'JoinFailed' || membership.state === 'UnjoinFailed'),
  )
  const sentences = [
    ...(change?.failure ? [`${change.failure.reason}: ${change.failure.message}`] : []),
    ...(failed.length > 0 ? [nameFaults(failed)] : []),
    ...(failed.length > 0 && isUsableCreate(federation) ? [USABLE] : []),
    ...(change?.leftBehind ?? []),
    ...(change?.failure ? [] : notInForce(federation)),
  ]
  const statusReason = sentences.length === 0 ? null : sentences.join(' ')
  if (change?.failure) return { outcome: 'FAILED', reason: change.failure.reason, statusReason }
  if (failed.length === 0) return { outcome: 'COMPLETE', reason: 'Settled', statusReason }
  // What was asked for is there: a federation, and a member less is no reason to throw it away (decision 0006).
  return { outcome: isUsableCreate(federation) ? 'COMPLETE' : 'FAILED', reason: 'MembersFailed', statusReason }
}

/** True when nothing moves that settling would have to wait for, and there is something to settle. */
const mayClose = (federation: Federation): boolean =>
  decidingOperation(federation) === null &&
  !federation.status.startsWith('DELETE_') &&
  (federation.change !== null || isInProgress(federation.status))

const closing = (ports: SettlePorts, federation: Federation, memberships: readonly Membership[]): Write[] => {
  const { outcome, reason, statusReason } = judge(federation, memberships)
  const action = federation.status === 'CREATE_IN_PROGRESS' ? 'create' : 'update'
  const now = ports.clock.now()
  const update: FederationUpdate = {
    status: `${action === 'create' ? 'CREATE' : 'UPDATE'}_${outcome}`,
    statusReason,
    change: null,
    conditions: withCondition(federation.conditions, membersReady(federation, memberships, now)),
    updatedAt: now.toISOString(),
  }
  const said = {
    action,
    outcome: outcome === 'COMPLETE' ? 'success' : 'failure',
    reason,
    message: statusReason ?? `Federation ${federation.name} is settled.`,
  } as const
  return [ports.stores.federations.change(federation, update), ownerEvent(ports, 'federation', federation, said)]
}

/**
 * Closes a federation's run of membership changes once nothing moves: `*_COMPLETE`, or `UPDATE_FAILED` naming the memberships of the run
 * that failed. A create whose control plane came up is complete, and names them. Called by each flow after it has written its own end, and by the reconciler; whoever sees nothing moving writes.
 * Whatever starts to move bumps the federation's revision in the same commit, so a verdict on old facts loses and is made anew.
 *
 * @returns true when this call closed it
 */
export const settle = (ports: SettlePorts, key: { projectId: string; id: string }): Promise<boolean> =>
  retryOnConflict(async () => {
    const federation = await ports.stores.federations.get(key)
    if (federation === undefined || !mayClose(federation)) return false
    const memberships = await ports.stores.memberships.listOf(key)
    if (memberships.some(isProgressing)) return false
    await ports.stores.commit(closing(ports, federation, memberships))
    return true
  })

const isSaid = ({ conditions }: Federation, { status, message }: Condition): boolean => {
  const before = conditions.find(({ type }) => type === MEMBERS_READY)
  return before?.status === status && before.message === message
}

/** True when the federation's `MembersReady` says what its memberships are. What changed them may have been killed before it said so. */
export const saysMembersReady = (federation: Federation, memberships: readonly Membership[], now: Date): boolean =>
  isSaid(federation, membersReady(federation, memberships, now))

/** Says in `MembersReady` what the memberships are now, when that differs; for changes of state outside of a run. */
export const refreshMembersReady = (ports: SettlePorts, key: { projectId: string; id: string }): Promise<void> =>
  retryOnConflict(async () => {
    const federation = await ports.stores.federations.get(key)
    if (federation === undefined) return
    const next = membersReady(federation, await ports.stores.memberships.listOf(key), ports.clock.now())
    if (isSaid(federation, next)) return
    const conditions = withCondition(federation.conditions, next)
    await ports.stores.commit([ports.stores.federations.change(federation, { conditions })])
  })
