import { listInWords, quote } from '../core/values/wording.ts'
import type { KubernetesClient, KubernetesObject } from './client.ts'
import { CredentialsInNamespace } from './errors.ts'
import { clusterRoleBindings, roleBindings } from './resources.ts'

/** Who edits in a namespace of a cluster, and what that is worth, by what is in the cluster itself: it may be registered more than once. */

/** Begins the names of bindings of kubeconfigs for people. */
export const PEOPLE_PREFIX = 'fedplane-people-'

const MANAGED = 'app.kubernetes.io/managed-by=fedplane'

type Binding = KubernetesObject & {
  roleRef?: { name?: string }
  subjects?: { kind?: string; name?: string; namespace?: string }[]
}

/**
 * RoleBindings in a namespace of kubeconfigs that can edit there, whichever registration of the cluster they were issued for.
 *
 * @throws PermissionDenied where our own account may not list them
 */
export const editingBindings = async (client: KubernetesClient, namespace: string): Promise<string[]> => {
  const { items } = await client.list(roleBindings(namespace), { labelSelector: MANAGED })
  return items
    .filter(({ metadata, roleRef }: Binding) => metadata.name.startsWith(PEOPLE_PREFIX) && roleRef?.name !== 'view')
    .map(({ metadata }) => metadata.name)
    .sort()
}

/** An account, or all accounts of a namespace, or of all. */
const isOfNamespace = ({ kind, name, namespace }: NonNullable<Binding['subjects']>[number], wanted: string): boolean =>
  kind === 'ServiceAccount'
    ? namespace === wanted
    : kind === 'Group' && (name === 'system:serviceaccounts' || name === `system:serviceaccounts:${wanted}`)

/**
 * That no account of a namespace is cluster-admin, as fedplane's own of another registration may be: whoever edits there has tokens of it.
 *
 * @throws CredentialsInNamespace, and PermissionDenied where our own account may not list ClusterRoleBindings
 */
export const requireNoAdministratorsIn = async (client: KubernetesClient, namespace: string): Promise<void> => {
  const { items } = await client.list(clusterRoleBindings)
  const found = items.filter(
    ({ roleRef, subjects }: Binding) =>
      roleRef?.name === 'cluster-admin' && subjects?.some((subject) => isOfNamespace(subject, namespace)),
  )
  if (found.length === 0) return
  throw new CredentialsInNamespace(
    `Nobody is given a kubeconfig that can edit namespace ${quote(namespace)}: accounts in it are cluster-admin (ClusterRoleBinding ${listInWords(found.map(({ metadata }) => metadata.name).sort(), 5)}), and an editor has their tokens. Name another namespace, or ask for the role viewer.`,
  )
}
