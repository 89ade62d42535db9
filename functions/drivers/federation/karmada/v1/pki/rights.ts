import type { Manifest, PartOf } from '../../../../../kubernetes/manifest.ts'
import { AGGREGATED_API_SERVER, CLUSTER_GROUP, type Component, SCHEDULER, SYSTEM_NAMESPACE, WEBHOOK } from '../names.ts'
import { IDENTITIES } from './identities.ts'

const RBAC = 'rbac.authorization.k8s.io'

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

const user = (component: Component) =>
  ({ apiGroup: RBAC, kind: 'User', name: IDENTITIES[component].commonName }) as const

type Binding = { role: string; component: Component; name: string; namespace?: string }

/** Binds a Role of the namespace, or without one a ClusterRole. */
const binding = ({ role, component, name, namespace }: Binding): Right => {
  const subjects = [user(component)]
  return namespace === undefined
    ? {
        apiVersion: `${RBAC}/v1`,
        kind: 'ClusterRoleBinding',
        metadata: { name },
        roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: role },
        subjects,
      }
    : {
        apiVersion: `${RBAC}/v1`,
        kind: 'RoleBinding',
        metadata: { name, namespace },
        roleRef: { apiGroup: RBAC, kind: 'Role', name: role },
        subjects,
      }
}

const roleOf = (component: Component, rules: readonly Rule[]): Right[] => {
  const name = IDENTITIES[component].commonName
  return [
    { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name }, rules: [...rules] },
    binding({ role: name, component, name }),
  ]
}

/** Delegated authentication and authorization (Kubernetes, "Configure the aggregation layer"). */
const delegation = (component: Component): Right[] => {
  const name = IDENTITIES[component].commonName
  return [
    binding({ role: 'system:auth-delegator', component, name: `${name}:auth-delegator` }),
    binding({
      role: 'extension-apiserver-authentication-reader',
      component,
      name: `${name}:authentication-reader`,
      namespace: 'kube-system',
    }),
  ]
}

const leader = (): Right[] => {
  const name = `${IDENTITIES[SCHEDULER].commonName}:leader`
  const metadata = { name, namespace: SYSTEM_NAMESPACE }
  return [
    { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata, rules: [...LEASE_RULES] },
    binding({ role: name, component: SCHEDULER, name, namespace: SYSTEM_NAMESPACE }),
  ]
}

/**
 * Roles and bindings inside of the control plane for the components that are not in `system:masters`; the namespace of the leases must be there.
 * To be applied before these components start.
 */
export const componentRights = (): Right[] => [
  ...roleOf(AGGREGATED_API_SERVER, RULES[AGGREGATED_API_SERVER] ?? []),
  ...delegation(AGGREGATED_API_SERVER),
  ...roleOf(SCHEDULER, RULES[SCHEDULER] ?? []),
  ...leader(),
  ...roleOf(WEBHOOK, RULES[WEBHOOK] ?? []),
]
