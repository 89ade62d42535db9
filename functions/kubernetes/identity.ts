import type { KubernetesClient } from './client.ts'
import { NotKubernetes } from './errors.ts'
import { namespaces } from './resources.ts'

/**
 * uid of the `kube-system` namespace: the identity of a Kubernetes cluster.
 *
 * @throws NotKubernetes when there is none, and the errors of `get`
 */
export const kubeSystemUid = async (client: Pick<KubernetesClient, 'get'>): Promise<string> => {
  const uid = (await client.get(namespaces, 'kube-system'))?.metadata?.uid
  if (uid !== undefined && uid !== '') return uid
  throw new NotKubernetes(
    'The cluster has no kube-system namespace, so it has no identity; fedplane takes whole Kubernetes clusters, not bare API servers.',
  )
}
