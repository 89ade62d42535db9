import type { Membership } from '../../core/membership/membership.ts'
import { memberEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import type { Ports } from '../../core/ports.ts'
import type { MembershipKey } from '../../store/membership.store.ts'
import type { Write } from '../../store/write.ts'
import { type Fault, moved, type RestingMembership, type Verdict } from './member-verdict.ts'

/** True for members that nothing runs on: joins, unjoins and rotations tell for themselves. */
export const isResting = (membership: Membership | undefined): membership is RestingMembership =>
  (membership?.state === 'Ready' || membership?.state === 'Degraded') && membership.operation === null

/** Why a healed member was not well, in the reason of the event. */
const HEALED: Readonly<Record<string, string>> = { ClusterUnhealthy: 'ClusterHealthy' }

/** A remark that comes or goes is no news; a change of state, or of what is wrong, is. */
const eventOf = (ports: Ports, before: RestingMembership, fault: Fault | null): Write[] => {
  if (fault !== null) return [memberEvent(ports, before, { action: 'update', outcome: 'failure', ...fault })]
  if (before.state === 'Ready') return []
  return [
    memberEvent(ports, before, {
      action: 'update',
      outcome: 'success',
      reason: HEALED[before.reason] ?? 'MemberReady',
      message: `${before.memberName} is healthy again.`,
    }),
  ]
}

/** Takes a verdict to a membership: Ready ↔ Degraded, with what is wrong. True when that changed something. */
export const moveMember = (ports: Ports, key: MembershipKey, verdict: Verdict): Promise<boolean> =>
  retryOnConflict(async () => {
    const membership = await ports.stores.memberships.get(key)
    if (!isResting(membership)) return false
    const next = moved(membership, verdict, ports.clock.now().toISOString())
    if (next === undefined) return false
    await ports.stores.commit([
      ports.stores.memberships.replace(membership, next),
      ...eventOf(ports, membership, verdict.fault),
    ])
    return true
  })
