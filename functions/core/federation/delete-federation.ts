import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { ownerEvent } from '../operation/events.ts'
import { launch, newOperation, replacedBy } from '../operation/launch.ts'
import { type DesiredWorkloads, workloadsOf } from '../operation/operation.ts'
import type { TablePorts } from '../ports.ts'
import type { Federation, FederationOperation } from './federation.ts'
import { decideOn, type RequireUse, requireClearing, requireWorkloads } from './federation-rules.ts'

/** Whether what can't be reached is skipped, and what becomes of the members' workloads. */
export type DesiredDeletion = {
  force: boolean
  workloads?: DesiredWorkloads
  /** Whether workloads may be deleted in the members. Absent: it is asked for by no one. @throws PolicyForbids */
  requireUse?: RequireUse
}

/** A deletion that runs goes on, unless it is now to be forced, or to remove workloads. */
const isUnderWay = ({ operation }: Federation, { force, workloads }: DesiredDeletion): boolean =>
  operation?.kind === 'delete' &&
  (operation.force || !force) &&
  (operation.workloads === 'delete' || workloads !== 'delete')

/** A deletion in place of one that runs is no weaker than that. */
const newDeletion = (ports: TablePorts, { operation: before }: Federation, { force, workloads }: DesiredDeletion) => {
  const running = before?.kind === 'delete' ? before : null
  return newOperation(ports, 'delete', {
    deadlineSeconds: DEADLINE_SECONDS['federation-delete'],
    force: force || running?.force === true,
    ...workloadsOf(workloads, running),
    supersedes: before === null ? [] : replacedBy(`federation-${before.kind}`, before),
  })
}

/** Whoever joins meanwhile raises the federation's revision, so that it is asked of them, too. */
const requireMembersClearing = async (
  ports: TablePorts,
  federation: Federation,
  { workloads, requireUse }: DesiredDeletion,
): Promise<void> => {
  if (workloads !== 'delete' || requireUse === undefined) return
  const driver = ports.drivers.federation.resolve(federation.driver)
  const leaving = await ports.stores.memberships.listOf(federation)
  await ports.stores.integrity.requireFederation(federation)
  await requireClearing(ports, requireUse, { driver, federation, leaving })
}

/** Decides and commits. Null when a deletion runs already. */
const decide = async (
  ports: TablePorts,
  federation: Federation,
  desired: DesiredDeletion,
): Promise<FederationOperation | null> => {
  const { federations, commit } = ports.stores
  if (desired.workloads !== undefined)
    requireWorkloads(ports.drivers.federation.resolve(federation.driver), desired.workloads)
  if (isUnderWay(federation, desired)) return null
  await requireMembersClearing(ports, federation, desired)
  const operation = newDeletion(ports, federation, desired)
  const update = {
    status: 'DELETE_IN_PROGRESS',
    statusReason: null,
    operation,
    updatedAt: operation.startedAt,
  } as const
  await commit([
    federations.change(federation, update),
    ownerEvent(ports, 'federation', federation, {
      action: 'delete',
      outcome: 'pending',
      reason: desired.force ? 'ForceRequested' : 'Requested',
      message: `Federation ${federation.name} is being deleted; its members are unjoined first${operation.workloads === 'delete' ? ', with their workloads removed' : ''}.`,
    }),
  ])
  return operation
}

/**
 * Deletes a federation: a create or update that runs is replaced, and a deletion too where this one is stronger.
 *
 * @returns the deletion that began; null when one runs already
 * @throws InvalidRequest, ObjectNotVisible
 */
export const deleteFederation = async (
  ports: TablePorts,
  seen: Federation,
  desired: DesiredDeletion,
): Promise<FederationOperation | null> => {
  const operation = await decideOn(ports.stores, seen, (federation) => decide(ports, federation, desired))
  const { projectId, id: entityId } = seen
  if (operation !== null) await launch(ports, { flow: 'federation-delete', projectId, entityId, operation })
  return operation
}
