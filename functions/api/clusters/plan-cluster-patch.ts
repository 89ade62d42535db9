import type { Cluster, ClusterChange, ClusterObservation, ClusterOperation } from '../../domain/cluster.ts'
import { isFailed, isInProgress } from '../../domain/status.ts'
import type { ClusterCapabilities } from '../../drivers/contract/cluster-driver.ts'
import { InvalidRequest, StateConflict } from '../errors.ts'
import { quote } from '../quote.ts'
import type { ClusterPatch } from './cluster-patch.ts'
import type { TakenKubeconfig } from './intake.ts'

/** Which operation a patch needs: none when only health is set. */
export type PatchKind = 'create' | 'update' | null

const demandCapable = (cluster: Cluster, patch: ClusterPatch, capabilities: ClusterCapabilities): void => {
  if (patch.nodeCount !== undefined && !capabilities.makesNodes) {
    throw new InvalidRequest(
      `"/node_count" of this cluster can't be changed: its driver ${cluster.driver} does not manage nodes, it only counts them.`,
    )
  }
  if (patch.kubeconfig !== undefined && !capabilities.needsKubeconfig) {
    throw new InvalidRequest(`"/kubeconfig" of this cluster can't be changed: its driver ${cluster.driver} takes none.`)
  }
}

const demandUnset = (cluster: Cluster, { added }: ClusterPatch): void => {
  const isSet = (attribute: string): boolean => !attribute.startsWith('health_') || cluster.observation !== null
  const set = added.find(isSet)
  if (set !== undefined) throw new InvalidRequest(`"/${set}" is set already: use "replace" instead of "add".`)
}

const inTheWay = (cluster: Cluster, allowed: string): StateConflict => {
  const runs = isInProgress(cluster.status) ? `, its ${cluster.operation?.kind ?? 'operation'} is running` : ''
  return new StateConflict(
    `Cluster ${quote(cluster.name)} is ${cluster.status}${runs}. It can be changed so when it is ${allowed}.`,
  )
}

/** A new kubeconfig also mends what failed (design section 2); everything else needs a settled cluster (magnum-rest.md 4.3). */
const demandState = (cluster: Cluster, patch: ClusterPatch): void => {
  const { status } = cluster
  const settled = status.endsWith('_COMPLETE') && !status.startsWith('DELETE_')
  if (settled) return
  if (patch.kubeconfig === undefined) throw inTheWay(cluster, 'CREATE_COMPLETE or UPDATE_COMPLETE')
  if (!isFailed(status) || status.startsWith('DELETE_')) {
    throw inTheWay(cluster, 'CREATE_COMPLETE, UPDATE_COMPLETE, CREATE_FAILED or UPDATE_FAILED')
  }
}

/**
 * Decides whether a patch may be carried out and by which operation. A failed registration begins anew.
 *
 * @throws InvalidRequest, StateConflict
 */
export const decideClusterPatch = (
  cluster: Cluster,
  patch: ClusterPatch,
  capabilities: ClusterCapabilities,
): PatchKind => {
  demandCapable(cluster, patch, capabilities)
  demandUnset(cluster, patch)
  demandState(cluster, patch)
  if (patch.kubeconfig !== undefined) return cluster.status === 'CREATE_FAILED' ? 'create' : 'update'
  return patch.nodeCount === undefined ? null : 'update'
}

/** The fields that begin the operation. The endpoint of a proved cluster changes only when the new one is proved. */
export const clusterChangeOf = (
  cluster: Cluster,
  patch: ClusterPatch,
  operation: ClusterOperation,
  taken: TakenKubeconfig | null,
): ClusterChange => {
  const serverForPeers = cluster.endpoint?.serverForPeers ?? null
  return {
    status: operation.kind === 'create' ? 'CREATE_IN_PROGRESS' : 'UPDATE_IN_PROGRESS',
    statusReason: null,
    operation,
    updatedAt: operation.startedAt,
    ...(operation.kind === 'create' && taken !== null ? { endpoint: { ...taken.endpoint, serverForPeers } } : {}),
    ...(patch.nodeCount === undefined ? {} : { driverState: { ...cluster.driverState, nodeCount: patch.nodeCount } }),
  }
}

/** The observation with the health that a caller reports (magnum-auto-healer); null when the patch reports none. */
export const reportedHealth = (cluster: Cluster, patch: ClusterPatch, now: Date): ClusterObservation | null => {
  if (patch.healthStatus === undefined && patch.healthReason === undefined) return null
  const before = cluster.observation
  return {
    version: before?.version ?? null,
    nodeCount: before?.nodeCount ?? 0,
    masterCount: before?.masterCount ?? 0,
    observedAt: now.toISOString(),
    healthStatus: patch.healthStatus ?? before?.healthStatus ?? 'UNKNOWN',
    healthReason: patch.healthReason ?? before?.healthReason ?? {},
  }
}
