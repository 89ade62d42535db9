import type { ClusterOperation } from '../domain/cluster.ts'
import type { FederationOperation } from '../domain/federation.ts'
import type { Membership } from '../domain/membership.ts'
import type { Operation } from '../domain/operation.ts'
import type { Ports } from '../runtime/ports.ts'
import type { Write } from '../store/write.ts'
import { untilNoConflict } from './conflict.ts'
import { OperationSuperseded } from './errors.ts'
import type { Failure } from './failure.ts'
import type { RunningOperation } from './flow-of.ts'
import { UNDO_DEADLINE_SECONDS } from './give-up.ts'
import { executionOf, launch } from './operation.ts'
import { openCluster, openFederation, openMembership, type Target } from './subjects.ts'

/** The same operation, tried again in undo mode; its first step ends the execution of the attempt before. */
const undoAttempt = ({ flow, operation }: RunningOperation, failure: Failure, now: Date): Operation => ({
  ...operation,
  attempt: operation.attempt + 1,
  mode: 'undo',
  deadline: new Date(now.getTime() + UNDO_DEADLINE_SECONDS * 1000).toISOString(),
  supersedes: [...operation.supersedes, executionOf(flow, operation)],
  // The first failure is the cause; later ones are undo's.
  failure: operation.failure ?? failure,
})

/** @throws OperationSuperseded when the attempt is no longer the one that was judged */
const mustBe = (read: Operation, judged: Operation): void => {
  if (read.attempt === judged.attempt) return
  throw new OperationSuperseded(
    `Attempt ${judged.attempt} of operation ${judged.id} was followed by attempt ${read.attempt}.`,
  )
}

const writeFor = async (
  ports: Ports,
  { flow, projectId, entityId, operation }: RunningOperation,
  next: Operation,
): Promise<Write> => {
  const target: Target = { projectId, entityId, operationId: operation.id }
  const { clusters, federations, memberships } = ports.stores
  if (flow.startsWith('cluster-')) {
    const cluster = await openCluster(ports, target)
    mustBe(cluster.operation, operation)
    return clusters.change(cluster, { operation: next as ClusterOperation })
  }
  if (flow.startsWith('federation-')) {
    const federation = await openFederation(ports, target)
    mustBe(federation.operation, operation)
    return federations.change(federation, { operation: next as FederationOperation })
  }
  const membership = await openMembership(ports, target)
  mustBe(membership.operation, operation)
  return memberships.replace(membership, { ...membership, operation: next } as Membership)
}

/**
 * Starts a further attempt of an operation, in undo mode.
 *
 * @throws OperationSuperseded when the operation ended, or was tried again, meanwhile
 */
export const startUndo = async (ports: Ports, running: RunningOperation, failure: Failure): Promise<void> => {
  const next = undoAttempt(running, failure, ports.clock.now())
  await untilNoConflict(async () => ports.stores.commit([await writeFor(ports, running, next)]))
  await launch(ports, { ...running, operation: next })
}
