import type { Write } from '../../store/write.ts'
import type { ClusterOperation } from '../cluster/cluster.ts'
import type { FederationOperation } from '../federation/federation.ts'
import type { Membership } from '../membership/membership.ts'
import type { TablePorts } from '../ports.ts'
import type { Failure } from './failure.ts'
import { type RunningOperation, targetOf } from './flow-of.ts'
import { UNDO_DEADLINE_SECONDS } from './give-up.ts'
import { launch, replacedBy } from './launch.ts'
import type { Operation } from './operation.ts'
import { retryOnConflict } from './retry-on-conflict.ts'
import { openCluster, openFederation, openMembership } from './subjects.ts'

/** The same operation, tried again in undo mode; its first step ends the execution of the attempt before. */
const undoAttempt = ({ flow, operation }: RunningOperation, failure: Failure, now: Date): Operation => ({
  ...operation,
  attempt: operation.attempt + 1,
  mode: 'undo',
  deadline: new Date(now.getTime() + UNDO_DEADLINE_SECONDS * 1000).toISOString(),
  supersedes: replacedBy(flow, operation),
  // The first failure is the cause; later ones are undo's.
  failure: operation.failure ?? failure,
})

const writeFor = async (ports: TablePorts, running: RunningOperation, next: Operation): Promise<Write> => {
  const target = targetOf(running)
  const { clusters, federations, memberships } = ports.stores
  if (running.flow.startsWith('cluster-')) {
    const cluster = await openCluster(ports, target)
    return clusters.change(cluster, { operation: next as ClusterOperation })
  }
  if (running.flow.startsWith('federation-')) {
    const federation = await openFederation(ports, target)
    return federations.change(federation, { operation: next as FederationOperation })
  }
  const membership = await openMembership(ports, target)
  return memberships.replace(membership, { ...membership, operation: next } as Membership)
}

/**
 * Starts a further attempt of an operation, in undo mode.
 *
 * @throws OperationSuperseded when the operation ended, or was tried again, meanwhile
 */
export const startUndo = async (ports: TablePorts, running: RunningOperation, failure: Failure): Promise<void> => {
  const next = undoAttempt(running, failure, ports.clock.now())
  await retryOnConflict(async () => ports.stores.commit([await writeFor(ports, running, next)]))
  await launch(ports, { ...running, operation: next })
}
