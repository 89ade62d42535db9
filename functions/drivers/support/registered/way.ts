import type { Cluster, ClusterEndpoint } from '../../../core/cluster/cluster.ts'
import type { AppError } from '../../../core/values/app-error.ts'
import type { Secret } from '../../../core/values/secret.ts'
import type { Connection, KubernetesClient } from '../../../kubernetes/client.ts'
import type { ClusterContext } from '../../contract/cluster-driver.ts'

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
