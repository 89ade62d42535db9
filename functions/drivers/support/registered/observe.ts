import type { Cluster, ClusterEndpoint, ClusterObservation, HealthStatus } from '../../../core/cluster/cluster.ts'
import { type AppError, isAppError } from '../../../core/values/app-error.ts'
import type { Secret } from '../../../core/values/secret.ts'
import type { Connection, KubernetesClient } from '../../../kubernetes/client.ts'
import { ApiThrottled, CredentialRejected, PermissionDenied } from '../../../kubernetes/errors.ts'
import { namespaces } from '../../../kubernetes/resources.ts'
import type { ClusterContext } from '../../contract/cluster-driver.ts'
import { readHealth } from './read-health.ts'

/** How a driver comes to clusters that somebody else made: what differs between such drivers. */
export type Way = {
  /** `ClusterDriver.connection`. */
  connection(cluster: Cluster, credential: Secret | undefined): Promise<Connection>
  /** What to do when the credential may not do what fedplane needs: a whole sentence. */
  grantAdvice: string
  /** True for faults of ours that say nothing of the cluster's health, besides those of the Kubernetes client. */
  isOurFault(error: AppError): boolean
  /** The same fault in words that help more with such clusters; default: as it is. */
  explain?(error: unknown, cluster: Cluster): unknown
}

/** Where the API server is, for everybody: the connection without its credential. */
export const endpointOf = (cluster: Pick<Cluster, 'endpoint'>, connection: Connection): ClusterEndpoint => ({
  server: connection.server,
  serverForPeers: cluster.endpoint?.serverForPeers ?? null,
  caPem: connection.caPem,
  tlsServerName: connection.tlsServerName,
  tlsVerify: connection.tlsVerify,
})

/** Runs something with a client of its own, and closes that. */
export const withClient = async <T>(
  way: Way,
  { cluster, credential, connect }: ClusterContext,
  use: (client: KubernetesClient, connection: Connection) => Promise<T>,
): Promise<T> => {
  const connection = await way.connection(cluster, await credential())
  const client = connect(connection)
  try {
    return await use(client, connection)
  } catch (error) {
    throw way.explain === undefined ? error : way.explain(error, cluster)
  } finally {
    client.close()
  }
}

/** Faults of our credential or of our haste, not of the cluster: its health is unknown then (cases/SV-11). */
const NOT_ITS_FAULT = [CredentialRejected, PermissionDenied, ApiThrottled]

const healthAfter = (way: Way, error: AppError): HealthStatus => {
  const isOurs = NOT_ITS_FAULT.some((kind) => error instanceof kind) || way.isOurFault(error)
  return error.kind !== 'unavailable' || isOurs ? 'UNKNOWN' : 'UNHEALTHY'
}

const blind = ({ cluster }: ClusterContext, observedAt: string) => ({
  observedAt,
  version: cluster.observation?.version ?? null,
  nodeCount: cluster.observation?.nodeCount ?? 0,
  masterCount: cluster.observation?.masterCount ?? 0,
})

/** True when another cluster answers. API servers that are only simulated tell no uid. */
const isOther = async (client: KubernetesClient, { identity }: Cluster): Promise<boolean> => {
  if (identity === null) return false
  const namespace = await client.get(namespaces, 'kube-system')
  return namespace === undefined || (!!namespace.metadata.uid && namespace.metadata.uid !== identity.uid)
}

/** Of another cluster that answers in its place nothing else is told: its nodes are not the cluster's. */
const observeOnce = async (
  client: KubernetesClient,
  context: ClusterContext,
  observedAt: string,
): Promise<ClusterObservation> => {
  const { cluster } = context
  const reading = client.readHealth?.() ?? readHealth(client)
  // Whatever it came to is told below, but of another cluster.
  reading.catch(() => undefined)
  if (await isOther(client, cluster)) {
    const reason = `Another cluster answers in the place of ${cluster.name}: its kube-system namespace has another uid. Nothing is written into it. Have the registered cluster answer there again, or give the kubeconfig of where it is now.`
    return { ...blind(context, observedAt), healthStatus: 'UNHEALTHY', healthReason: { api: reason }, isOther: true }
  }
  const { api, version, nodeCount, masterCount, allNodesReady, nodes } = await reading
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
 * One observation. HEALTHY when the API is ready and every node is; UNHEALTHY when not, or when it can't be reached; UNKNOWN when we are
 * refused or something of ours failed. A failed observation keeps version and counts of the last one.
 */
export const observeRegistered = async (way: Way, context: ClusterContext): Promise<ClusterObservation> => {
  const observedAt = context.now()
  try {
    return await withClient(way, context, (client) => observeOnce(client, context, observedAt))
  } catch (error) {
    if (!isAppError(error)) throw error
    return {
      ...blind(context, observedAt),
      healthStatus: healthAfter(way, error),
      healthReason: { api: error.message },
    }
  }
}
