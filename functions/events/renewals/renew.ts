import { DEADLINE_SECONDS } from '../../domain/deadlines.ts'
import { type DegradedMembership, membershipEntityId, type ReadyMembership } from '../../domain/membership.ts'
import { memberEvent } from '../../operations/events.ts'
import { launch, newOperation } from '../../operations/operation.ts'
import type { TablePorts } from '../../runtime/ports.ts'
import { RevisionConflict } from '../../store/errors.ts'
import type { MembershipKey } from '../../store/membership.store.ts'
import { beat } from '../heartbeat.ts'

type InRest = ReadyMembership | DegradedMembership

/** The membership, if its credential is due and nothing runs on it. The index it came from may lag. */
const dueMembership = async (ports: TablePorts, key: MembershipKey, now: string): Promise<InRest | undefined> => {
  const membership = await ports.stores.memberships.get(key)
  if (membership?.state !== 'Ready' && membership?.state !== 'Degraded') return undefined
  const renewAfter = membership.credential?.renewAfter ?? null
  return membership.operation === null && renewAfter !== null && renewAfter <= now ? membership : undefined
}

const renew = async (ports: TablePorts, membership: InRest): Promise<void> => {
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
}

/**
 * Starts `credential-rotate` for each member whose credential is due. Runs on the schedule; running twice at once does no harm.
 *
 * @returns how many were started
 */
export const renewDue = async (ports: TablePorts): Promise<number> => {
  const now = ports.clock.now().toISOString()
  let started = 0
  for await (const key of ports.stores.work.renewals(now)) {
    const membership = await dueMembership(ports, key, now)
    if (membership === undefined) continue
    try {
      await renew(ports, membership)
      started += 1
    } catch (error) {
      // Something else began on it meanwhile: the next run sees what is due then.
      if (!(error instanceof RevisionConflict)) throw error
    }
  }
  await beat(ports, 'renewals')
  return started
}
