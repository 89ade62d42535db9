import type { Cluster } from '../../domain/cluster.ts'
import type { KubernetesClient } from '../../kubernetes/client.ts'

/** A registered cluster and a way to its API. */
export type ClusterAccess = {
  cluster: Cluster
  /**
   * A connected client with the stored admin credential. The first call in a step invocation compares the `kube-system` uid.
   *
   * @throws ClusterIdentityChanged, CredentialMissing, and the errors of `kubernetes/errors.ts`
   */
  client(): Promise<KubernetesClient>
}
