import * as z from 'zod'
import { NamespaceMissing } from '../../drivers/contract/errors.ts'
import type { KubernetesClient, KubernetesObject } from '../../kubernetes/client.ts'
import { PEOPLE_PREFIX, requireNoAdministratorsIn } from '../../kubernetes/editing-people.ts'
import { NotKubernetes, ObjectConflict } from '../../kubernetes/errors.ts'
import { requireNoManagedSecrets } from '../../kubernetes/managed-secrets.ts'
import type { Review } from '../../kubernetes/manifest.ts'
import {
  clusterRoleBindings,
  namespaces,
  resourcePath,
  roleBindings,
  serviceAccounts,
} from '../../kubernetes/resources.ts'
import type { IssuedKubeconfig } from '../../store/inventory.store.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { KubeconfigRole } from '../values/identity.ts'
import { shortId } from '../values/ids.ts'
import { Secret } from '../values/secret.ts'
import { quote } from '../values/wording.ts'
import { type AccessPorts, openClient } from './open-cluster.ts'

/**
 * Accounts for people in a cluster: one ServiceAccount with one binding for each kubeconfig, in a namespace of their own. Names come from the record, which is
 * written before and goes after them, so that whatever is there is found.
 */

const RBAC = 'rbac.authorization.k8s.io'
const LABELS = { 'app.kubernetes.io/managed-by': 'fedplane' }
/** On the namespace: the cluster as it is registered here. The same cluster may be registered elsewhere, too. */
const REGISTRATION = 'fedplane.io/registration'

type Ref = { cluster: string; issued: IssuedKubeconfig }

/** Of editors it is none of theirs: its name begins as those that are refused. */
export const peopleNamespace = (clusterId: string): string => `${PEOPLE_PREFIX}${shortId(clusterId)}`

/** Tells readers of audit logs who it is. */
const accountName = ({ id, userId }: IssuedKubeconfig): string => {
  const user = userId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  return `${user.replaceAll(/^-+|-+$/g, '') || 'user'}-${shortId(id)}`
}

/** User name of who has the token. */
export const accountUser = ({ cluster, issued }: Ref): string =>
  `system:serviceaccount:${peopleNamespace(cluster)}:${accountName(issued)}`

const CLUSTER_ROLES: Readonly<Record<KubeconfigRole, string>> = { viewer: 'view', editor: 'edit', admin: 'admin' }

const roleOf = ({ role, namespace }: IssuedKubeconfig): string =>
  role === 'admin' && namespace === null ? 'cluster-admin' : CLUSTER_ROLES[role]

const bindings = (issued: IssuedKubeconfig) =>
  issued.namespace === null ? clusterRoleBindings : roleBindings(issued.namespace)

const bindingName = (issued: IssuedKubeconfig): string => `${PEOPLE_PREFIX}${shortId(issued.id)}`

const accountOf = ({ cluster, issued }: Ref): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: {
    name: accountName(issued),
    namespace: peopleNamespace(cluster),
    labels: LABELS,
    annotations: { 'fedplane.io/user': issued.userId, 'fedplane.io/expires-at': issued.expiresAt },
  },
  automountServiceAccountToken: false,
})

const bindingOf = ({ cluster, issued }: Ref): KubernetesObject => ({
  apiVersion: `${RBAC}/v1`,
  kind: issued.namespace === null ? 'ClusterRoleBinding' : 'RoleBinding',
  metadata: {
    name: bindingName(issued),
    labels: LABELS,
    ...(issued.namespace === null ? {} : { namespace: issued.namespace }),
  },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: roleOf(issued) },
  subjects: [{ kind: 'ServiceAccount', name: accountName(issued), namespace: peopleNamespace(cluster) }],
})

/** @throws ObjectConflict for one that somebody else made */
const ensureNamespace = async (client: KubernetesClient, cluster: string): Promise<void> => {
  const name = peopleNamespace(cluster)
  const metadata = { name, labels: { ...LABELS, [REGISTRATION]: cluster } }
  const there = await client.get(namespaces, name)
  if (there === undefined) {
    await client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata })
  } else if (there.metadata.labels?.[REGISTRATION] !== cluster) {
    throw new ObjectConflict(`Namespace ${name} of the cluster is somebody else's. Remove it, then try again.`)
  }
}

/** @throws NamespaceMissing, CredentialsInNamespace */
const requireNamespace = async (client: KubernetesClient, name: string, role: KubeconfigRole): Promise<void> => {
  const there = await client.get(namespaces, name)
  if (there === undefined)
    throw new NamespaceMissing(`The cluster has no namespace ${quote(name)}. Create it first, or name another.`)
  if (role === 'viewer') return
  await requireNoManagedSecrets(client, there)
  await requireNoAdministratorsIn(client, name)
}

const TokenRequest = z.object({
  status: z.object({ token: z.string().min(1).max(16_384), expirationTimestamp: z.iso.datetime({ offset: true }) }),
})

/**
 * Makes account and binding, and has a token issued for it. What a failure leaves is removed by `removeAccount`.
 *
 * @returns when the token ends: not after the record says
 * @throws NamespaceMissing, CredentialsInNamespace, and errors of the client: PermissionDenied where our own account has not the rights of the role
 */
export const makeAccount = async (
  client: KubernetesClient,
  ref: Ref,
  seconds: number,
): Promise<{ token: Secret; expiresAt: string }> => {
  const { cluster, issued } = ref
  if (issued.namespace !== null) await requireNamespace(client, issued.namespace, issued.role)
  await ensureNamespace(client, cluster)
  const accounts = serviceAccounts(peopleNamespace(cluster))
  await client.create(accounts, accountOf(ref))
  await client.create(bindings(issued), bindingOf(ref))
  const answer = await client.post(resourcePath(accounts, accountName(issued), 'token'), {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: seconds },
  } satisfies Review<'TokenRequest'>)
  const request = TokenRequest.safeParse(answer)
  if (!request.success) throw new NotKubernetes('The cluster answered a TokenRequest in a form that no API server has.')
  const { token, expirationTimestamp } = request.data.status
  const ends = Math.min(Date.parse(expirationTimestamp), Date.parse(issued.expiresAt))
  return { token: new Secret(token), expiresAt: new Date(ends).toISOString() }
}

/** Takes the account away, and with it the token; the namespace goes with the last one. Can run twice. */
const removeAccount = async (client: KubernetesClient, { cluster, issued }: Ref): Promise<void> => {
  const namespace = peopleNamespace(cluster)
  const accounts = serviceAccounts(namespace)
  await client.delete(bindings(issued), bindingName(issued))
  await client.delete(accounts, accountName(issued))
  const { items } = await client.list(accounts, { labelSelector: 'app.kubernetes.io/managed-by=fedplane' })
  if (items.length > 0) return
  const there = await client.get(namespaces, namespace)
  if (there?.metadata.labels?.[REGISTRATION] === cluster) await client.delete(namespaces, namespace)
}

/** Removes the account of a kubeconfig, then its record. @throws errors of opening the cluster, and of its API */
export const withdraw = async (ports: AccessPorts, cluster: Cluster, issued: IssuedKubeconfig): Promise<void> => {
  const client = await openClient(ports, cluster)
  try {
    await removeAccount(client, { cluster: cluster.id, issued })
  } finally {
    client.close()
  }
  await ports.stores.commit([ports.stores.inventory.forget(issued)])
}
