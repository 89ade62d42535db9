import type { MembershipKey } from '../../store/membership.store.ts'
import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { memberEvent } from '../operation/events.ts'
import { launch, newOperation } from '../operation/launch.ts'
import type { TablePorts } from '../ports.ts'
import { type DegradedMembership, membershipEntityId, type ReadyMembership } from './membership.ts'

type InRest = ReadyMembership | DegradedMembership

/** The membership, if its credential is due and nothing runs on it. The index it came from may lag. */
const dueMembership = async (ports: TablePorts, key: MembershipKey, now: string): Promise<InRest | undefined> => {
  const membership = await ports.stores.memberships.get(key)
  if (membership?.state !== 'Ready' && membership?.state !== 'Degraded') return undefined
  const renewAfter = membership.credential?.renewAfter ?? null
  return membership.operation === null && renewAfter !== null && renewAfter <= now ? membership : undefined
}

/** Renews a member's credential if it is due; true when that began. @throws RevisionConflict when something else began on the membership */
export const rotateCredential = async (ports: TablePorts, key: MembershipKey, now: string): Promise<boolean> => {
  const membership = await dueMembership(ports, key, now)
  if (membership === undefined) return false
  const operation = newOperation(ports, 'rotate', { deadlineSeconds: DEADLINE_SECONDS['credential-rotate'] })
  await ports.stores.commit([
    ports.stores.memberships.replace(membership, { ...membership, operation }),
    memberEvent(ports, membership, {
      action: 'rotate',
      outcome: 'pending',
      reason: 'RenewalDue',
      message: `The credential of ${membership.memberName} is being renewed.`,
    }),
  ])
  const { projectId } = membership
  await launch(ports, { flow: 'credential-rotate', projectId, entityId: membershipEntityId(membership), operation })
  return true
}
