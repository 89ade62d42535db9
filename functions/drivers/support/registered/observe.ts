import type { ClusterObservation, HealthStatus } from '../../../core/cluster/cluster.ts'
import { type AppError, isAppError } from '../../../core/values/app-error.ts'
import type { KubernetesClient } from '../../../kubernetes/client.ts'
import { ApiThrottled, CredentialRejected, PermissionDenied } from '../../../kubernetes/errors.ts'
import type { ClusterContext } from '../../contract/cluster-driver.ts'
import { readHealth } from './read-health.ts'
import { type Way, withClient } from './way.ts'

/** Faults of our credential or of our haste, not of the cluster: its health is unknown then (cases/SV-11). */
const NOT_ITS_FAULT = [CredentialRejected, PermissionDenied, ApiThrottled]

const healthAfter = (way: Way, error: AppError): HealthStatus => {
  const isOurs = NOT_ITS_FAULT.some((kind) => error instanceof kind) || way.isOurFault(error)
  return error.kind !== 'unavailable' || isOurs ? 'UNKNOWN' : 'UNHEALTHY'
}

const look = async (client: KubernetesClient, observedAt: string): Promise<ClusterObservation> => {
  const { api, version, nodeCount, masterCount, allNodesReady, nodes } = await (client.readHealth?.() ??
    readHealth(client))
  return {
    observedAt,
    healthStatus: api === 'ok' && allNodesReady ? 'HEALTHY' : 'UNHEALTHY',
    healthReason: { api, ...nodes },
    version,
    nodeCount,
    masterCount,
  }
}

/**
 * One look. HEALTHY when the API is ready and every node is; UNHEALTHY when not, or when it can't be reached; UNKNOWN when we are
 * refused or something of ours failed. A failed look keeps version and counts of the last one.
 */
export const observeRegistered = async (way: Way, context: ClusterContext): Promise<ClusterObservation> => {
  const observedAt = context.now()
  try {
    return await withClient(way, context, (client) => look(client, observedAt))
  } catch (error) {
    if (!isAppError(error)) throw error
    const last = context.cluster.observation
    return {
      observedAt,
      healthStatus: healthAfter(way, error),
      healthReason: { api: error.message },
      version: last?.version ?? null,
      nodeCount: last?.nodeCount ?? 0,
      masterCount: last?.masterCount ?? 0,
    }
  }
}
