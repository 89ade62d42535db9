import { ClusterInUse, RevisionConflict } from '../../store/errors.ts'
import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { ownerEvent } from '../operation/events.ts'
import { launch, newOperation, replacedBy } from '../operation/launch.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import type { GrantChange } from './cloud-grants.ts'
import type { Cluster, ClusterOperation } from './cluster.ts'
import { describeUses, movedTemplateUses, usingFederations } from './cluster-uses.ts'
import { markedGroups, truncatedCluster, truncatedObservation } from './node-group-writes.ts'

export type DeleteRules = {
  /** Finds the cluster, and asks whether the caller may delete it so. Asked anew when it changed meanwhile. @throws ObjectNotVisible, PolicyForbids */
  findCluster(): Promise<Cluster>
  /** Leaves out what can't be taken down soon. */
  force: boolean
  /** Stores the deletion, with what the caller lends for it. */
  storeDeletion(cluster: Cluster, store: (delegated: GrantChange) => Promise<void>): Promise<void>
}

const requireUnused = async (ports: Pick<Ports, 'stores'>, cluster: Cluster): Promise<void> => {
  if (cluster.uses.length === 0) return
  throw new ClusterInUse(describeUses(cluster, await usingFederations(ports, cluster)))
}

type Begun = { cluster: Cluster; operation: ClusterOperation }

const commitDelete = async (ports: Ports, { cluster, operation }: Begun, delegated: GrantChange): Promise<void> => {
  const { clusters, nodeGroups, management, commit } = ports.stores
  const groups = await nodeGroups.listOf(cluster)
  const change = {
    status: 'DELETE_IN_PROGRESS',
    statusReason: null,
    operation,
    task: null,
    queue: [],
    updatedAt: operation.startedAt,
    ...truncatedCluster(cluster),
    ...delegated.change,
  } as const
  try {
    await commit([
      clusters.change(cluster, change, { unlessUsed: true }),
      // From here on nothing more is made through it, also when its deletion fails.
      ...(cluster.management ? [management.move(cluster, cluster.management, null)] : []),
      ...movedTemplateUses(ports, cluster, change),
      ...markedGroups(ports, groups, 'DELETE_IN_PROGRESS'),
      ...delegated.writes,
      ownerEvent(ports, 'cluster', cluster, {
        action: 'delete',
        outcome: 'pending',
        reason: operation.force ? 'ForceRequested' : 'Requested',
        message: `Cluster ${cluster.name} is being deleted${operation.force ? ', without what can’t be taken down' : ''}.`,
      }),
    ])
  } catch (error) {
    // A federation took it meanwhile: read again, and name it.
    if (error instanceof ClusterInUse) throw new RevisionConflict(error.message, { cause: error })
    throw error
  }
}

/** A deletion that runs goes on, unless it is now to be forced. */
const isUnderWay = ({ operation }: Cluster, force: boolean): boolean =>
  operation?.kind === 'delete' && (operation.force || !force)

/** Reads, decides, commits. Null when a deletion runs already. */
const decide = async (ports: Ports, { findCluster, force, storeDeletion }: DeleteRules): Promise<Begun | null> => {
  const cluster = await findCluster()
  await requireUnused(ports, cluster)
  if (isUnderWay(cluster, force)) return null
  const { operation: running } = cluster
  const operation = newOperation(ports, 'delete', {
    deadlineSeconds: DEADLINE_SECONDS['cluster-delete'],
    force,
    supersedes: running === null ? [] : replacedBy(`cluster-${running.kind}`, running),
  })
  const begun = { cluster, operation }
  const seen = truncatedObservation(cluster, ports.clock.now())
  if (seen !== null) await ports.stores.clusters.observe(cluster, seen)
  await storeDeletion(cluster, (delegated) => commitDelete(ports, begun, delegated))
  return begun
}

/**
 * Deletes a cluster: a create or update that runs is replaced, and what waits behind it is dropped. One that a federation uses stays.
 *
 * @returns the deletion that began; null when one runs already
 * @throws ClusterInUse
 */
export const deleteCluster = async (ports: Ports, rules: DeleteRules): Promise<ClusterOperation | null> => {
  const begun = await retryOnConflict(() => decide(ports, rules))
  if (begun === null) return null
  const { cluster, operation } = begun
  await launch(ports, { flow: 'cluster-delete', projectId: cluster.projectId, entityId: cluster.id, operation })
  return operation
}
