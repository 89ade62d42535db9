import type { Cluster } from '../../core/cluster/cluster.ts'
import type { Dial, KubernetesClient, PodPort } from '../../kubernetes/client.ts'

/** A registered cluster and a way to its API. */
export type ClusterAccess = {
  cluster: Cluster
  /**
   * A connected client with the stored admin credential. The first call in a step invocation compares the `kube-system` uid.
   *
   * @throws ClusterIdentityChanged, CredentialMissing, and the errors of `kubernetes/errors.ts`
   */
  client(): Promise<KubernetesClient>
  /**
   * Byte streams to a port of one of its pods, through its API server (`pods/portforward`): for what is not reachable otherwise. Checks nothing
   * until it is used; then as `client`.
   */
  dial(pod: PodPort): Dial
}
