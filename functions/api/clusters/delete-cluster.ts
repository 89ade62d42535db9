import type { GrantChange } from '../../core/cluster/cloud-grants.ts'
import type { Cluster, ClusterOperation } from '../../core/cluster/cluster.ts'
import { markedGroups } from '../../core/cluster/node-group-writes.ts'
import { movedTemplateUses } from '../../core/cluster/template-uses.ts'
import { DEADLINE_SECONDS } from '../../core/operation/deadlines.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { launch, newOperation, replacedBy } from '../../core/operation/launch.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { truncatedCluster, truncatedObservation } from '../../core/operation/truncated.ts'
import { ClusterInUse, RevisionConflict } from '../../store/errors.ts'
import { storeDeletion } from '../cloud/store-deletion.ts'
import { requirePolicy } from '../policy.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { describeUses, usingFederations } from './describe-uses.ts'
import { findCluster } from './find-cluster.ts'

type Request = KeysRequest<{ force: boolean }>

/** What can't be taken down is left where it is, which may cost somebody else money: a rule of its own. @throws PolicyForbids */
const requireMayForce = (request: Request, { projectId, userId }: Cluster): void => {
  if (request.query.force) requirePolicy(request, 'cluster:force_delete', { projectId, userId })
}

const requireUnused = async ({ ports }: Request, cluster: Cluster): Promise<void> => {
  if (cluster.uses.length === 0) return
  throw new ClusterInUse(describeUses(cluster, await usingFederations(ports, cluster)))
}

type Begun = { cluster: Cluster; operation: ClusterOperation }

const commitDelete = async ({ ports }: Request, { cluster, operation }: Begun, lent: GrantChange): Promise<void> => {
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
    ...lent.change,
  } as const
  try {
    await commit([
      clusters.change(cluster, change, { unlessUsed: true }),
      // From here on nothing more is made through it, also when its deletion fails.
      ...(cluster.management ? [management.move(cluster, cluster.management, null)] : []),
      ...movedTemplateUses(ports, cluster, change),
      ...markedGroups(ports, groups, 'DELETE_IN_PROGRESS'),
      ...lent.writes,
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
const decide = async (request: Request): Promise<Begun | null> => {
  const { force } = request.query
  const cluster = await findCluster(request, 'cluster:delete_all_projects')
  requireMayForce(request, cluster)
  await requireUnused(request, cluster)
  if (isUnderWay(cluster, force)) return null
  const { operation: running } = cluster
  const operation = newOperation(request.ports, 'delete', {
    deadlineSeconds: DEADLINE_SECONDS['cluster-delete'],
    force,
    supersedes: running === null ? [] : replacedBy(`cluster-${running.kind}`, running),
  })
  const begun = { cluster, operation }
  const seen = truncatedObservation(cluster, request.ports.clock.now())
  if (seen !== null) await request.ports.stores.clusters.observe(cluster, seen)
  await storeDeletion(request, cluster, (lent) => commitDelete(request, begun, lent))
  return begun
}

/**
 * `DELETE /v1/clusters/{cluster}` → 204 (magnum-rest.md 4.4). Reads `DELETE_IN_PROGRESS` until it is gone; a running create or update is
 * replaced, and what waits behind it is dropped. A cluster that a federation uses stays, and so does one through which others are made. With
 * `?force=true`, also of a deletion that runs, what can't be taken down soon is left, and told by the last event.
 */
export const deleteCluster = async (request: Request): Promise<ApiResponse> => {
  const begun = await retryOnConflict(() => decide(request))
  if (begun !== null) {
    const { cluster, operation } = begun
    await launch(request.ports, {
      flow: 'cluster-delete',
      projectId: cluster.projectId,
      entityId: cluster.id,
      operation,
    })
  }
  return { status: 204 }
}
