import type { Cluster, ClusterEndpoint } from '../../../../domain/cluster.ts'
import type { Secret } from '../../../../domain/secret.ts'
import type { Connection, KubernetesClient } from '../../../../kubernetes/client.ts'
import { decodeConnection } from '../../../../kubernetes/stored-connection.ts'
import type { ClusterContext } from '../../../contract/cluster-driver.ts'
import { CredentialMissing } from '../../../contract/errors.ts'

/** What is stored of the kubeconfig. @throws CredentialMissing, StoredConnectionInvalid */
export const connectionOf = (cluster: Pick<Cluster, 'name'>, credential: Secret | undefined): Connection => {
  if (credential !== undefined) return decodeConnection(credential)
  throw new CredentialMissing(
    `No kubeconfig of cluster ${cluster.name} is stored. Send one with PATCH replace /kubeconfig.`,
  )
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
  { cluster, credential, connect }: ClusterContext,
  use: (client: KubernetesClient, connection: Connection) => Promise<T>,
): Promise<T> => {
  const connection = connectionOf(cluster, await credential())
  const client = connect(connection)
  try {
    return await use(client, connection)
  } finally {
    client.close()
  }
}
