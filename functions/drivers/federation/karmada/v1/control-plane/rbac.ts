import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import { CLUSTER_GROUP } from '../names.ts'
import { IDENTITIES } from '../pki/identities.ts'
import { componentRights } from '../pki/rights.ts'

const RBAC = 'rbac.authorization.k8s.io'

/**
 * Group of those who get a kubeconfig of the federation. Bound to cluster-admin in the control plane, and not `system:masters`, so that removing the
 * binding takes the rights from certificates that are out already.
 */
export const FEDERATION_ADMINS = 'fedplane:federation-admins'

type Kinds = { group: string; resources: readonly string[]; hasStatus: boolean }

/** Karmada's kinds that users of a namespace see (upstream's `karmada-view` and `karmada-edit`). */
const USER_KINDS: readonly Kinds[] = [
  { group: 'autoscaling.karmada.io', resources: ['cronfederatedhpas', 'federatedhpas'], hasStatus: true },
  { group: 'multicluster.x-k8s.io', resources: ['serviceexports', 'serviceimports'], hasStatus: true },
  { group: 'networking.karmada.io', resources: ['multiclusteringresses', 'multiclusterservices'], hasStatus: true },
  { group: 'policy.karmada.io', resources: ['overridepolicies', 'propagationpolicies'], hasStatus: false },
  { group: 'work.karmada.io', resources: ['resourcebindings', 'works'], hasStatus: true },
]

const userRole = (verb: 'view' | 'edit', verbs: readonly string[]): Manifest<'ClusterRole'> => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRole',
  metadata: {
    name: `karmada-${verb}`,
    labels: {
      'kubernetes.io/bootstrapping': 'rbac-defaults',
      [`${RBAC}/aggregate-to-${verb}`]: 'true',
    },
    annotations: { [`${RBAC}/autoupdate`]: 'true' },
  },
  rules: USER_KINDS.map(({ group, resources, hasStatus }) => ({
    apiGroups: [group],
    resources: resources.flatMap((name) => (hasStatus ? [name, `${name}/status`] : [name])),
    verbs,
  })),
})

const binding = (
  name: string,
  role: string,
  kind: 'User' | 'Group',
  subject: string,
): Manifest<'ClusterRoleBinding'> => ({
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name },
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
  subjects: [{ apiGroup: RBAC, kind, name: subject }],
})

const PROXY_ADMIN = 'cluster-proxy-admin'

/**
 * Roles inside of the control plane. Not here, unlike `karmadactl init`: what agents of pull mode need (bootstrap tokens, approval of their
 * certificates, `cluster-info` for anonymous callers), since members are joined by push only.
 */
export const rbac = (): Manifest<'ClusterRole' | 'ClusterRoleBinding' | 'Role' | 'RoleBinding'>[] => [
  userRole('view', ['get', 'list', 'watch']),
  userRole('edit', ['create', 'delete', 'deletecollection', 'patch', 'update']),
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: PROXY_ADMIN },
    rules: [{ apiGroups: [CLUSTER_GROUP], resources: ['clusters/proxy'], verbs: ['*'] }],
  },
  binding(PROXY_ADMIN, PROXY_ADMIN, 'User', IDENTITIES.admin.commonName),
  binding(FEDERATION_ADMINS, 'cluster-admin', 'Group', FEDERATION_ADMINS),
  ...componentRights(),
]
