import type { Manifest, PartOf } from '../../../../../kubernetes/manifest.ts'
import {
  AGGREGATED_API_SERVER,
  CLUSTER_GROUP,
  type Component,
  SCHEDULER,
  SYSTEM_NAMESPACE,
  WEBHOOK,
} from '../model/names.ts'
import { IDENTITIES } from '../pki/identities.ts'

export const RBAC = 'rbac.authorization.k8s.io'

type Right = Manifest<'ClusterRole' | 'ClusterRoleBinding' | 'Role' | 'RoleBinding'>

type Rule = PartOf['policyRule']

const READ = ['get', 'list', 'watch']
const WRITE = ['update', 'patch']

const EVENTS: Rule = { apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['create', 'update', 'patch'] }

/** What the components that are no administrators do at the API server, by reading and running Karmada 1.18.2. */
const RULES: Readonly<Partial<Record<Component, readonly Rule[]>>> = {
  [AGGREGATED_API_SERVER]: [
    // Admission, as in every API server: namespaces, webhooks and policies; priority and fairness.
    { apiGroups: [''], resources: ['namespaces'], verbs: READ },
    {
      apiGroups: ['admissionregistration.k8s.io'],
      resources: ['*'],
      verbs: READ,
    },
    {
      apiGroups: ['flowcontrol.apiserver.k8s.io'],
      resources: ['flowschemas', 'prioritylevelconfigurations'],
      verbs: READ,
    },
    { apiGroups: ['flowcontrol.apiserver.k8s.io'], resources: ['flowschemas/status'], verbs: WRITE },
    // `clusters/proxy` takes the token of a member from the Secret that its Cluster names, in whatever namespace.
    { apiGroups: [''], resources: ['secrets'], verbs: READ },
    EVENTS,
  ],
  [SCHEDULER]: [
    { apiGroups: [CLUSTER_GROUP], resources: ['clusters'], verbs: READ },
    {
      apiGroups: ['policy.karmada.io'],
      resources: ['*'],
      verbs: READ,
    },
    {
      apiGroups: ['work.karmada.io'],
      resources: ['resourcebindings', 'clusterresourcebindings'],
      verbs: [...READ, ...WRITE],
    },
    {
      apiGroups: ['work.karmada.io'],
      resources: ['resourcebindings/status', 'clusterresourcebindings/status'],
      verbs: [...READ, ...WRITE],
    },
    EVENTS,
  ],
  [WEBHOOK]: [
    { apiGroups: [CLUSTER_GROUP], resources: ['clusters'], verbs: READ },
    { apiGroups: ['config.karmada.io', 'policy.karmada.io'], resources: ['*'], verbs: READ },
    { apiGroups: ['policy.karmada.io'], resources: ['federatedresourcequotas/status'], verbs: WRITE },
    EVENTS,
  ],
}

/** Leases of the leader, in the namespace of the control plane's own things. */
const LEASE_RULES: readonly Rule[] = [
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], verbs: ['create'] },
  { apiGroups: ['coordination.k8s.io'], resources: ['leases'], resourceNames: [SCHEDULER], verbs: ['get', ...WRITE] },
]

type Subject = { kind: 'User' | 'Group'; name: string }

/** Binds a Role of the namespace, or without one a ClusterRole. */
const binding = (name: string, role: string, { kind, name: who }: Subject, namespace?: string): Right => {
  const subjects = [{ apiGroup: RBAC, kind, name: who }] as const
  const to = <K extends string>(kind: K) => ({ apiGroup: RBAC, kind, name: role }) as const
  return namespace === undefined
    ? { apiVersion: `${RBAC}/v1`, kind: 'ClusterRoleBinding', metadata: { name }, roleRef: to('ClusterRole'), subjects }
    : { apiVersion: `${RBAC}/v1`, kind: 'RoleBinding', metadata: { name, namespace }, roleRef: to('Role'), subjects }
}

const user = (leaf: keyof typeof IDENTITIES): Subject => ({ kind: 'User', name: IDENTITIES[leaf].commonName })

const roleOf = (component: Component, rules: readonly Rule[]): Right[] => {
  const name = IDENTITIES[component].commonName
  return [
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name }, rules: [...rules] },
    binding(name, name, user(component)),
  ]
}

/** Delegated authentication and authorization (Kubernetes, "Configure the aggregation layer"). */
const delegation = (component: Component): Right[] => {
  const name = IDENTITIES[component].commonName
  return [
    binding(`${name}:auth-delegator`, 'system:auth-delegator', user(component)),
    binding(
      `${name}:authentication-reader`,
      'extension-apiserver-authentication-reader',
      user(component),
      'kube-system',
    ),
  ]
}

const leader = (): Right[] => {
  const name = `${IDENTITIES[SCHEDULER].commonName}:leader`
  const metadata = { name, namespace: SYSTEM_NAMESPACE }
  return [
    { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules: [...LEASE_RULES] },
    binding(name, name, user(SCHEDULER), SYSTEM_NAMESPACE),
  ]
}

/**
 * Roles and bindings inside of the control plane for the components that are not in `system:masters`; the namespace of the leases must be there.
 * To be applied before these components start.
 */
const componentRights = (): Right[] => [
  ...roleOf(AGGREGATED_API_SERVER, RULES[AGGREGATED_API_SERVER] ?? []),
  ...delegation(AGGREGATED_API_SERVER),
  ...roleOf(SCHEDULER, RULES[SCHEDULER] ?? []),
  ...leader(),
  ...roleOf(WEBHOOK, RULES[WEBHOOK] ?? []),
]

/**
 * Group of those who get a kubeconfig of the federation. Bound to cluster-admin in the control plane, and not `system:masters`, so that removing the
 * binding takes the rights from certificates that are out already.
 */
export const FEDERATION_ADMINS = 'fedplane:federation-admins'

type Kinds = { group: string; resources: readonly string[]; hasStatus: boolean }

/**
 * Karmada's kinds that users of a namespace see (upstream's `karmada-view` and `karmada-edit`). Without `works`, unlike upstream: they hold what goes into
 * members, Secrets too, and `view` of all namespaces reads no Secrets.
 */
const USER_KINDS: readonly Kinds[] = [
  { group: 'autoscaling.karmada.io', resources: ['cronfederatedhpas', 'federatedhpas'], hasStatus: true },
  { group: 'multicluster.x-k8s.io', resources: ['serviceexports', 'serviceimports'], hasStatus: true },
  { group: 'networking.karmada.io', resources: ['multiclusteringresses', 'multiclusterservices'], hasStatus: true },
  { group: 'policy.karmada.io', resources: ['overridepolicies', 'propagationpolicies'], hasStatus: false },
]

/** Its controllers write them. Whoever could write one would have Karmada copy any object, of any namespace, into members. */
const READ_KINDS: readonly Kinds[] = [
  ...USER_KINDS,
  { group: 'work.karmada.io', resources: ['resourcebindings'], hasStatus: true },
]

const userRole = (
  verb: 'view' | 'edit',
  kinds: readonly Kinds[],
  verbs: readonly string[],
): Manifest<'ClusterRole'> => ({
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
  rules: kinds.map(({ group, resources, hasStatus }) => ({
    apiGroups: [group],
    resources: resources.flatMap((name) => (hasStatus ? [name, `${name}/status`] : [name])),
    verbs,
  })),
})

/**
 * Unlike upstream's, editors write no OverridePolicy: its `plaintext` changes any field of what goes into members, kind and namespace, too, and is carried
 * out there with the rights of Karmada itself.
 */
const EDIT_KINDS: readonly Kinds[] = USER_KINDS.map((kinds) => ({
  ...kinds,
  resources: kinds.resources.filter((name) => name !== 'overridepolicies'),
}))

/** What `view` and `edit` mean in a control plane, besides Kubernetes' own. */
export const userRoles = (): Manifest<'ClusterRole'>[] => [
  userRole('view', READ_KINDS, READ),
  userRole('edit', EDIT_KINDS, ['create', 'delete', 'deletecollection', 'patch', 'update']),
]

const PROXY_ADMIN = 'cluster-proxy-admin'

/**
 * Roles inside of the control plane. Not here, unlike `karmadactl init`: what agents of pull mode need (bootstrap tokens, approval of their
 * certificates, `cluster-info` for anonymous callers), since members are joined by push only.
 */
export const rbac = (): Right[] => [
  ...userRoles(),
  {
    apiVersion: `${RBAC}/v1`,
    kind: 'ClusterRole',
    metadata: { name: PROXY_ADMIN },
    rules: [{ apiGroups: [CLUSTER_GROUP], resources: ['clusters/proxy'], verbs: ['*'] }],
  },
  binding(PROXY_ADMIN, PROXY_ADMIN, user('admin')),
  binding(FEDERATION_ADMINS, 'cluster-admin', { kind: 'Group', name: FEDERATION_ADMINS }),
  ...componentRights(),
]
