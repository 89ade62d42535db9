import { SCHEMAS } from './builtin/kinds.ts'
import type { ResourceType, Schema } from './types.ts'

/** `metadata` for server-side apply: which of its lists are sets or keyed. */
export const METADATA_SCHEMA: Schema = {
  type: 'object',
  properties: {
    finalizers: { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
    ownerReferences: {
      type: 'array',
      items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
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
  ['', 'v1', 'pods', 'Pod', 'Namespaced', 'po'],
  ['', 'v1', 'services', 'Service', 'Namespaced', 'svc'],
  ['', 'v1', 'persistentvolumeclaims', 'PersistentVolumeClaim', 'Namespaced', 'pvc'],
  ['', 'v1', 'resourcequotas', 'ResourceQuota', 'Namespaced', 'quota'],
  ['apps', 'v1', 'deployments', 'Deployment', 'Namespaced', 'deploy'],
  ['apps', 'v1', 'replicasets', 'ReplicaSet', 'Namespaced', 'rs'],
  ['apps', 'v1', 'statefulsets', 'StatefulSet', 'Namespaced', 'sts'],
  ['apps', 'v1', 'daemonsets', 'DaemonSet', 'Namespaced', 'ds'],
  ['batch', 'v1', 'jobs', 'Job', 'Namespaced'],
  ['batch', 'v1', 'cronjobs', 'CronJob', 'Namespaced', 'cj'],
  ['storage.k8s.io', 'v1', 'storageclasses', 'StorageClass', 'Cluster', 'sc'],
  ['policy', 'v1', 'poddisruptionbudgets', 'PodDisruptionBudget', 'Namespaced', 'pdb'],
  ['coordination.k8s.io', 'v1', 'leases', 'Lease', 'Namespaced'],
  ['apiregistration.k8s.io', 'v1', 'apiservices', 'APIService', 'Cluster'],
  ['admissionregistration.k8s.io', 'v1', 'validatingadmissionpolicies', 'ValidatingAdmissionPolicy', 'Cluster'],
  [
    'admissionregistration.k8s.io',
    'v1',
    'validatingadmissionpolicybindings',
    'ValidatingAdmissionPolicyBinding',
    'Cluster',
  ],
  ['admissionregistration.k8s.io', 'v1', 'mutatingwebhookconfigurations', 'MutatingWebhookConfiguration', 'Cluster'],
  [
    'admissionregistration.k8s.io',
    'v1',
    'validatingwebhookconfigurations',
    'ValidatingWebhookConfiguration',
    'Cluster',
  ],
  ['rbac.authorization.k8s.io', 'v1', 'clusterroles', 'ClusterRole', 'Cluster'],
  ['rbac.authorization.k8s.io', 'v1', 'clusterrolebindings', 'ClusterRoleBinding', 'Cluster'],
  ['rbac.authorization.k8s.io', 'v1', 'roles', 'Role', 'Namespaced'],
  ['rbac.authorization.k8s.io', 'v1', 'rolebindings', 'RoleBinding', 'Namespaced'],
  ['apiextensions.k8s.io', 'v1', 'customresourcedefinitions', 'CustomResourceDefinition', 'Cluster', 'crd', 'crds'],
]

const nameRuleOf = (group: string, plural: string): ResourceType['nameRule'] => {
  if (group === 'rbac.authorization.k8s.io') return 'path-segment'
  return ['namespaces', 'services'].includes(plural) ? 'label' : 'subdomain'
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
  ResourceQuota: ['spec', 'status'],
  Lease: ['spec'],
  DaemonSet: ['spec', 'status'],
  Job: ['spec', 'status'],
  CronJob: ['spec', 'status'],
  ValidatingAdmissionPolicy: ['spec', 'status'],
  ValidatingAdmissionPolicyBinding: ['spec'],
}

/** Groups whose objects count the changes of what is wanted in `metadata.generation`. */
const COUNTED_GROUPS = ['apps', 'batch', 'policy', 'admissionregistration.k8s.io', 'apiextensions.k8s.io']

const WITH_STATUS = [
  'namespaces',
  'nodes',
  'pods',
  'services',
  'persistentvolumeclaims',
  'resourcequotas',
  'deployments',
  'replicasets',
  'statefulsets',
  'daemonsets',
  'jobs',
  'cronjobs',
  'poddisruptionbudgets',
  'apiservices',
  'customresourcedefinitions',
]

/** Top-level fields of a built-in kind, the common three included. */
export const topFieldsOf = (kind: string): ReadonlySet<string> =>
  new Set(['apiVersion', 'kind', 'metadata', ...(TOP_FIELDS[kind] ?? [])])

/** The whole schema of a kind whose fields are all known; undefined for those that are known by their top-level fields only. */
const strictSchemaOf = (group: string, plural: string): Schema | undefined => {
  const schema = SCHEMAS[`${group}/${plural}`]
  if (schema === undefined) return undefined
  const metadata = { ...METADATA_SCHEMA, 'x-kubernetes-preserve-unknown-fields': true }
  return { ...schema, properties: { apiVersion: {}, kind: {}, metadata, ...schema.properties } }
}

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
    statusSubresource: WITH_STATUS.includes(plural),
    nameRule: nameRuleOf(group, plural),
    schema: strictSchemaOf(group, plural) ?? BUILTIN_SCHEMA,
    custom: false,
    strict: strictSchemaOf(group, plural) !== undefined,
    counted: COUNTED_GROUPS.includes(group),
  }),
)
