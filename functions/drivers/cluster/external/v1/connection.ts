import type { Cluster } from '../../../../core/cluster/cluster.ts'
import type { Secret } from '../../../../core/values/secret.ts'
import type { Connection } from '../../../../kubernetes/client.ts'
import { decodeConnection } from '../../../../kubernetes/stored-connection.ts'
import { CredentialMissing } from '../../../contract/errors.ts'

/** What is stored of the kubeconfig. @throws CredentialMissing, StoredConnectionInvalid */
export const connectionOf = async (
  cluster: Pick<Cluster, 'name'>,
  credential: Secret | undefined,
): Promise<Connection> => {
  if (credential !== undefined) return decodeConnection(credential)
  throw new CredentialMissing(
    `No kubeconfig of cluster ${cluster.name} is stored. Send one with PATCH replace /kubeconfig.`,
  )
}
