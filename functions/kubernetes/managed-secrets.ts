import { quote } from '../core/values/wording.ts'
import type { KubernetesClient, KubernetesObject } from './client.ts'
import { CredentialsInNamespace } from './errors.ts'
import { secrets } from './resources.ts'

const MANAGED = 'app.kubernetes.io/managed-by'

/**
 * That fedplane keeps no Secret in a namespace, by what is in the cluster itself: of a federation that another registration of the same cluster hosts, or
 * left behind. Whoever edits there reads them.
 *
 * @param namespace as the cluster has it
 * @throws CredentialsInNamespace, and PermissionDenied where our own account may not see Secrets, and so gives nobody `edit`
 */
export const requireNoManagedSecrets = async (client: KubernetesClient, namespace: KubernetesObject): Promise<void> => {
  const { name, labels } = namespace.metadata
  const isOurs = labels?.[MANAGED] === 'fedplane'
  if (!isOurs && (await client.list(secrets(name), { labelSelector: `${MANAGED}=fedplane` })).items.length === 0) return
  throw new CredentialsInNamespace(
    `Nobody is given a kubeconfig that can edit namespace ${quote(name)}: fedplane keeps credentials in it. Name another namespace, or ask for the role viewer.`,
  )
}
