import type { ObjectRef } from '../../../functions/domain/object-ref.ts'
import { FEDERATION_LABEL, listAll } from '../../../functions/drivers/support/owned.ts'
import type { KubernetesClient, KubernetesObject, Resource } from '../../../functions/kubernetes/client.ts'
import { ObjectNotFound } from '../../../functions/kubernetes/errors.ts'

const RBAC = { group: 'rbac.authorization.k8s.io', version: 'v1' }

/** Every kind that a federation driver makes. */
const KINDS: Readonly<Record<string, Resource>> = {
  Namespace: { group: '', version: 'v1', plural: 'namespaces' },
  Secret: { group: '', version: 'v1', plural: 'secrets' },
  ServiceAccount: { group: '', version: 'v1', plural: 'serviceaccounts' },
  Role: { ...RBAC, plural: 'roles' },
  ClusterRole: { ...RBAC, plural: 'clusterroles' },
  ClusterRoleBinding: { ...RBAC, plural: 'clusterrolebindings' },
  ClusterProfile: { group: 'multicluster.x-k8s.io', version: 'v1alpha1', plural: 'clusterprofiles' },
}

export const resourceOf = (ref: ObjectRef): Resource => {
  const known = KINDS[ref.kind]
  const resource = known && { ...known, version: ref.apiVersion.split('/').at(-1) ?? '' }
  if (resource === undefined) throw new Error(`the test knows no ${ref.kind}: add it to KINDS`)
  return ref.namespace === '' ? resource : { ...resource, namespace: ref.namespace }
}

const listOrNone = async (
  client: KubernetesClient,
  resource: Resource,
  selector: string,
): Promise<KubernetesObject[]> => {
  try {
    return await listAll(client, resource, selector)
  } catch (error) {
    if (error instanceof ObjectNotFound) return []
    throw error
  }
}

/** Everything in a cluster that carries a federation's label, as `Kind namespace/name`. */
export const labelled = async (client: KubernetesClient, federationId: string): Promise<string[]> => {
  const found = await Promise.all(
    Object.entries(KINDS).map(async ([kind, resource]) => {
      const objects = await listOrNone(client, resource, `${FEDERATION_LABEL}=${federationId}`)
      return objects.map(({ metadata }) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`)
    }),
  )
  return found.flat().sort()
}
