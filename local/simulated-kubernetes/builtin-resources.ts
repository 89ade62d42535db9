import type { ResourceType, Schema } from './types.ts'

/** `metadata` for server-side apply: which of its lists are sets or keyed. */
export const METADATA_SCHEMA: Schema = {
  type: 'object',
  properties: {
    finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ownerReferences: {
      type: 'array',
      items: { type: 'object' },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['uid'],
    },
  },
}

const BUILTIN_SCHEMA: Schema = {
  type: 'object',
  properties: {
    metadata: METADATA_SCHEMA,
    secrets: { type: 'array', 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] },
  },
}

type Row = [
  group: string,
  version: string,
  plural: string,
  kind: string,
  scope: 'Namespaced' | 'Cluster',
  ...shortNames: string[],
]

const ROWS: readonly Row[] = [
  ['', 'v1', 'namespaces', 'Namespace', 'Cluster', 'ns'],
  ['', 'v1', 'nodes', 'Node', 'Cluster', 'no'],
  ['', 'v1', 'configmaps', 'ConfigMap', 'Namespaced', 'cm'],
  ['', 'v1', 'events', 'Event', 'Namespaced', 'ev'],
  ['', 'v1', 'secrets', 'Secret', 'Namespaced'],
  ['', 'v1', 'serviceaccounts', 'ServiceAccount', 'Namespaced', 'sa'],
  ['rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', 'Cluster'],
  ['rbac.authorization.k8s.io', 'v1', 'clusterrolebindings', 'ClusterRoleBinding', 'Cluster'],
  ['rbac.authorization.k8s.io', 'v1', 'roles', 'Role', 'Namespaced'],
  ['rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding', 'Namespaced'],
  ['apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', 'Cluster', 'crd', 'crds'],
]

const nameRuleOf = (group: string, plural: string): ResourceType['nameRule'] => {
  if (group === 'rbac.authorization.k8s.io') return 'path-segment'
  return plural === 'namespaces' ? 'label' : 'subdomain'
}

/** Fields below the top that each kind has; others are dropped, or refused with `fieldValidation=Strict`. */
const TOP_FIELDS: Readonly<Record<string, readonly string[]>> = {
  Namespace: ['spec', 'status'],
  Node: ['spec', 'status'],
  ConfigMap: ['data', 'binaryData', 'immutable'],
  Event: [
    'involvedObject',
    'reason',
    'message',
    'source',
    'firstTimestamp',
    'lastTimestamp',
    'count',
    'type',
    'eventTime',
    'series',
    'action',
    'related',
    'reportingComponent',
    'reportingInstance',
  ],
  Secret: ['data', 'stringData', 'type', 'immutable'],
  ServiceAccount: ['secrets', 'imagePullSecrets', 'automountServiceAccountToken'],
  ClusterRole: ['rules', 'aggregationRule'],
  ClusterRoleBinding: ['subjects', 'roleRef'],
  Role: ['rules'],
  RoleBinding: ['subjects', 'roleRef'],
  CustomResourceDefinition: ['spec', 'status'],
}

/** Top-level fields of a built-in kind, the common three included. */
export const topFieldsOf = (kind: string): ReadonlySet<string> =>
  new Set(['apiVersion', 'kind', 'metadata', ...(TOP_FIELDS[kind] ?? [])])

/** The resources that are there without any CustomResourceDefinition. */
export const BUILTIN_RESOURCES: readonly ResourceType[] = ROWS.map(
  ([group, version, plural, kind, scope, ...shortNames]): ResourceType => ({
    group,
    version,
    plural,
    singular: kind.toLowerCase(),
    kind,
    namespaced: scope === 'Namespaced',
    shortNames,
    categories: [],
    statusSubresource: ['namespaces', 'nodes', 'customresourcedefinitions'].includes(plural),
    nameRule: nameRuleOf(group, plural),
    schema: BUILTIN_SCHEMA,
    custom: false,
  }),
)
