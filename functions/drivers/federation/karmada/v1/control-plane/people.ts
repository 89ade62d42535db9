import { createHash } from 'node:crypto'
import type { KubeconfigRole } from '../../../../../core/values/identity.ts'
import { quote } from '../../../../../core/values/wording.ts'
import type { KubernetesClient, KubernetesObject } from '../../../../../kubernetes/client.ts'
import { ApiUnavailable } from '../../../../../kubernetes/errors.ts'
import { requireNoManagedSecrets } from '../../../../../kubernetes/managed-secrets.ts'
import { namespaces } from '../../../../../kubernetes/resources.ts'
import { NamespaceMissing } from '../../../../contract/errors.ts'
import type { FederationContext, KubeconfigRequest } from '../../../../contract/federation-driver.ts'
import { isTerminating, MANAGED_BY, MANAGED_BY_LABEL } from '../../../../support/owned.ts'
import { Pending } from '../../../../support/step.ts'
import { applyAll } from './apply-all.ts'
import { withControlPlane } from './open.ts'
import { FEDERATION_ADMINS, RBAC, userRoles } from './rbac.ts'

/** Longest common name and organization of a certificate (RFC 5280, ub-common-name, ub-organization-name). */
const NAME_MAX = 64

/** Hex digits that keep long names apart. */
const DIGEST_LENGTH = 16

/** A name of a certificate's subject: its end is a digest where it would be too long. */
export const subjectName = (whole: string): string => {
  if (Buffer.byteLength(whole) <= NAME_MAX) return whole
  const digest = createHash('sha256').update(whole).digest('hex').slice(0, DIGEST_LENGTH)
  return `${whole.replace(/[^\x20-\x7e]/g, '?').slice(0, NAME_MAX - DIGEST_LENGTH - 1)}~${digest}`
}

type Rights = Pick<KubeconfigRequest, 'role' | 'namespace'>

/** Kubernetes' own, which Karmada's kinds are added to. */
const CLUSTER_ROLES: Readonly<Record<KubeconfigRole, string>> = { viewer: 'view', editor: 'edit', admin: 'admin' }

/** Group of those who have a role, in all or in one namespace. Bindings are of groups: a credential has no right of another of its user. */
const groupOf = ({ role, namespace }: Rights): string =>
  namespace === undefined ? `fedplane:federation-${role}s` : subjectName(`fedplane:${role}:${namespace}`)

const bindingOf = (rights: Rights): KubernetesObject => {
  const { role, namespace } = rights
  const labels = { [MANAGED_BY_LABEL]: MANAGED_BY }
  const common = {
    apiVersion: `${RBAC}/v1`,
    roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: CLUSTER_ROLES[role] },
    subjects: [{ apiGroup: RBAC, kind: 'Group', name: groupOf(rights) }],
  }
  return namespace === undefined
    ? { ...common, kind: 'ClusterRoleBinding', metadata: { name: groupOf(rights), labels } }
    : { ...common, kind: 'RoleBinding', metadata: { name: `fedplane:${role}`, namespace, labels } }
}

/** @throws NamespaceMissing, CredentialsInNamespace */
const requireNamespace = async (client: KubernetesClient, namespace: string, role: KubeconfigRole): Promise<void> => {
  const found = await client.get(namespaces, namespace)
  if (found !== undefined && !isTerminating(found)) {
    // The control plane may be a registered cluster, too, and host another federation.
    return role === 'viewer' ? undefined : requireNoManagedSecrets(client, found)
  }
  throw new NamespaceMissing(
    `The control plane has no namespace ${quote(namespace)}${found === undefined ? '' : ' any more, it is being deleted'}. Create it first, or name another.`,
  )
}

const bind = (context: FederationContext, rights: Rights): Promise<void> =>
  withControlPlane(context, async (client) => {
    if (rights.namespace !== undefined) await requireNamespace(client, rights.namespace, rights.role)
    // With the roles, which a federation of an earlier release has in another form.
    await applyAll(client, [...userRoles(), bindingOf(rights)])
  })

/**
 * The group that a credential with these rights has, bound to its role in the control plane. Administrators of all have theirs from the beginning. A binding
 * of a namespace goes with it, and there is no other thing to take away: without it certificates that are out grant nothing.
 *
 * @throws NamespaceMissing, CredentialsInNamespace, and ApiUnavailable while the control plane can't be reached
 */
export const boundGroup = async (context: FederationContext, rights: Rights): Promise<string> => {
  if (rights.role === 'admin' && rights.namespace === undefined) return FEDERATION_ADMINS
  try {
    await bind(context, rights)
  } catch (error) {
    if (!(error instanceof Pending)) throw error
    throw new ApiUnavailable(
      `The control plane of ${context.federation.name} can't be asked for the role: it waits for ${error.message}.`,
    )
  }
  return groupOf(rights)
}
