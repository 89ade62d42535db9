import type { ChangeGuard } from '../../store/cluster.store.ts'
import { ClusterInUse, RevisionConflict } from '../../store/errors.ts'
import type { Write } from '../../store/write.ts'
import { DEADLINE_SECONDS } from '../operation/deadlines.ts'
import { ownerEvent } from '../operation/events.ts'
import { launch, newOperation, replacedBy } from '../operation/launch.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import { type GrantChange, promotedGrant } from './cloud-grants.ts'
import type { Cluster, ClusterOperation, ClusterUse } from './cluster.ts'
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

type DeletionPorts = Pick<Ports, 'stores' | 'clock' | 'newId'>

/** How a deletion comes about: who may use the cluster until then, what was lent for it, and why, for its history. */
type Deletion = { guard: ChangeGuard; delegated: GrantChange; said: { reason: string; message: string } }

const deletionWrites = async (
  ports: DeletionPorts,
  { cluster, operation }: Begun,
  { guard, delegated, said }: Deletion,
): Promise<Write[]> => {
  const { clusters, nodeGroups, management } = ports.stores
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
  return [
    clusters.change(cluster, change, guard),
    // From here on nothing more is made through it, also when its deletion fails.
    ...(cluster.management ? [management.move(cluster, cluster.management, null)] : []),
    ...movedTemplateUses(ports, cluster, change),
    ...markedGroups(ports, groups, 'DELETE_IN_PROGRESS'),
    ...delegated.writes,
    ownerEvent(ports, 'cluster', cluster, { action: 'delete', outcome: 'pending', ...said }),
  ]
}

const commitDelete = async (ports: Ports, begun: Begun, delegated: GrantChange): Promise<void> => {
  const { cluster, operation } = begun
  const said = {
    reason: operation.force ? 'ForceRequested' : 'Requested',
    message: `Cluster ${cluster.name} is being deleted${operation.force ? ', without what can’t be taken down' : ''}.`,
  }
  try {
    await ports.stores.commit(await deletionWrites(ports, begun, { guard: { unlessUsed: true }, delegated, said }))
  } catch (error) {
    // A federation took it meanwhile: read again, and name it.
    if (error instanceof ClusterInUse) throw new RevisionConflict(error.message, { cause: error })
    throw error
  }
}

/** A deletion that runs goes on, unless it is now to be forced. */
const isUnderWay = ({ operation }: Cluster, force: boolean): boolean =>
  operation?.kind === 'delete' && (operation.force || !force)

const newDeletion = (ports: DeletionPorts, { operation: running }: Cluster, force: boolean): ClusterOperation =>
  newOperation(ports, 'delete', {
    deadlineSeconds: DEADLINE_SECONDS['cluster-delete'],
    force,
    supersedes: running === null ? [] : replacedBy(`cluster-${running.kind}`, running),
  })

/**
 * The deletion of a cluster that nothing uses but what goes in the same commit. Its launch comes after that; the reconciler makes it good when it is lost.
 *
 * @param use the only one, which ends; when the cluster gained another one the commit's conflict is RevisionConflict
 */
export const deletionWithUse = async (
  ports: DeletionPorts & Pick<Ports, 'cloud'>,
  cluster: Cluster,
  use: ClusterUse,
  message: string,
): Promise<{ writes: Write[]; operation: ClusterOperation }> => {
  const operation = newDeletion(ports, cluster, false)
  const delegated = (cluster.cloud && (await promotedGrant(ports, cluster))) || { change: {}, writes: [] }
  const said = { reason: 'FederationGone', message }
  return {
    operation,
    writes: await deletionWrites(ports, { cluster, operation }, { guard: { lastUse: use }, delegated, said }),
  }
}

/** Reads, decides, commits. Null when a deletion runs already. */
const decide = async (ports: Ports, { findCluster, force, storeDeletion }: DeleteRules): Promise<Begun | null> => {
  const cluster = await findCluster()
  await requireUnused(ports, cluster)
  if (isUnderWay(cluster, force)) return null
  const begun = { cluster, operation: newDeletion(ports, cluster, force) }
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
