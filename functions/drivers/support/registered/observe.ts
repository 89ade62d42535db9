import { type AppError, isAppError } from '../../../domain/app-error.ts'
import type { ClusterObservation, HealthStatus } from '../../../domain/cluster.ts'
import type { KubernetesClient } from '../../../kubernetes/client.ts'
import { ApiThrottled, CredentialRejected, PermissionDenied } from '../../../kubernetes/errors.ts'
import type { ClusterContext } from '../../contract/cluster-driver.ts'
import { summarizeNodes } from './nodes.ts'
import { type Way, withClient } from './way.ts'

/** Faults of our credential or of our haste, not of the cluster: its health is unknown then (cases/SV-11). */
const NOT_ITS_FAULT = [CredentialRejected, PermissionDenied, ApiThrottled]

const healthAfter = (way: Way, error: AppError): HealthStatus => {
  const isOurs = NOT_ITS_FAULT.some((kind) => error instanceof kind) || way.isOurFault(error)
  return error.kind !== 'unavailable' || isOurs ? 'UNKNOWN' : 'UNHEALTHY'
}

/** Characters of what `/readyz` says that are kept: it is stored, and the server may tell anything. */
const READINESS_MAX = 500

/** `ok`, or what `/readyz` says is not. */
const readiness = async (client: KubernetesClient): Promise<string> => {
  const { status, body } = await client.raw('/readyz')
  if (status === 200) return 'ok'
  const failed = body
    .split('\n')
    .filter((line) => line.startsWith('[-]'))
    .map((line) => line.slice('[-]'.length).split(' ')[0])
  const said = `GET /readyz answers ${status}${failed.length === 0 ? '' : `: ${failed.join(', ')} failed`}`
  return said.length > READINESS_MAX ? `${said.slice(0, READINESS_MAX)}…` : said
}

const look = async (client: KubernetesClient, observedAt: string): Promise<ClusterObservation> => {
  const [api, version, nodes] = await Promise.all([readiness(client), client.version(), summarizeNodes(client)])
  return {
    observedAt,
    healthStatus: api === 'ok' && nodes.allReady ? 'HEALTHY' : 'UNHEALTHY',
    healthReason: { api, ...nodes.reasons },
    version: version.gitVersion || null,
    nodeCount: nodes.nodeCount,
    masterCount: nodes.masterCount,
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
