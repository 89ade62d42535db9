import { gzipSync } from 'node:zlib'

type Schema = Record<string, unknown>

const text = { type: 'string' }
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const object = (properties: Record<string, Schema>, required: string[] = []): Schema => ({
  type: 'object',
  properties,
  ...(required.length === 0 ? {} : { required }),
})
const list = (items: Schema): Schema => ({ type: 'array', items })

const SELECTOR = object({ apiVersion: text, kind: text, name: text, namespace: text, labelSelector: open }, [
  'apiVersion',
  'kind',
])
const POLICY = object(
  {
    resourceSelectors: list(SELECTOR),
    placement: object({
      clusterAffinity: object({ clusterNames: list(text), exclude: list(text), labelSelector: open }),
      clusterTolerations: list(open),
      replicaScheduling: open,
    }),
    preserveResourcesOnDeletion: { type: 'boolean' },
    conflictResolution: { type: 'string', default: 'Abort' },
    priority: { type: 'integer', default: 0 },
  },
  ['resourceSelectors'],
)
const WORK = object({
  preserveResourcesOnDeletion: { type: 'boolean' },
  suspendDispatching: { type: 'boolean' },
  workload: object({ manifests: list({ type: 'object', 'x-kubernetes-preserve-unknown-fields': true }) }),
})
const BINDING = object(
  {
    resource: object({ apiVersion: text, kind: text, namespace: text, name: text, uid: text, resourceVersion: text }),
    clusters: list(object({ name: text, replicas: { type: 'integer' } }, ['name'])),
    placement: open,
    preserveResourcesOnDeletion: { type: 'boolean' },
  },
  ['resource'],
)

/** Kind, plural, scope, and versions; the last version is the stored one. */
type Row = [
  group: string,
  kind: string,
  plural: string,
  scope: 'Namespaced' | 'Cluster',
  spec?: Schema,
  ...versions: string[],
]

const ROWS: readonly Row[] = [
  ['apps', 'WorkloadRebalancer', 'workloadrebalancers', 'Cluster'],
  ['autoscaling', 'FederatedHPA', 'federatedhpas', 'Namespaced'],
  ['autoscaling', 'CronFederatedHPA', 'cronfederatedhpas', 'Namespaced'],
  ['config', 'ResourceInterpreterCustomization', 'resourceinterpretercustomizations', 'Cluster'],
  ['config', 'ResourceInterpreterWebhookConfiguration', 'resourceinterpreterwebhookconfigurations', 'Cluster'],
  ['networking', 'MultiClusterIngress', 'multiclusteringresses', 'Namespaced'],
  ['networking', 'MultiClusterService', 'multiclusterservices', 'Namespaced'],
  ['policy', 'PropagationPolicy', 'propagationpolicies', 'Namespaced', POLICY],
  ['policy', 'ClusterPropagationPolicy', 'clusterpropagationpolicies', 'Cluster', POLICY],
  ['policy', 'OverridePolicy', 'overridepolicies', 'Namespaced'],
  ['policy', 'ClusterOverridePolicy', 'clusteroverridepolicies', 'Cluster'],
  ['policy', 'FederatedResourceQuota', 'federatedresourcequotas', 'Namespaced'],
  ['policy', 'ClusterTaintPolicy', 'clustertaintpolicies', 'Cluster'],
  ['remedy', 'Remedy', 'remedies', 'Cluster'],
  ['work', 'Work', 'works', 'Namespaced', WORK],
  ['work', 'ResourceBinding', 'resourcebindings', 'Namespaced', BINDING, 'v1alpha1', 'v1alpha2'],
  ['work', 'ClusterResourceBinding', 'clusterresourcebindings', 'Cluster', BINDING, 'v1alpha1', 'v1alpha2'],
]

const definition = (group: string, [, kind, plural, scope, spec = open, ...versions]: Row): object => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.${group}` },
  spec: {
    group,
    scope,
    names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List`, categories: ['karmada-io'] },
    versions: (versions.length === 0 ? ['v1alpha1'] : versions).map((name, index, all) => ({
      name,
      served: true,
      storage: index === all.length - 1,
      subresources: { status: {} },
      schema: {
        openAPIV3Schema: object({ apiVersion: text, kind: text, metadata: { type: 'object' }, spec, status: open }),
      },
    })),
  },
})

/** Kinds of a group of SIG Multicluster, which Karmada brings too. */
const EXPORTS: readonly Row[] = [
  ['', 'ServiceExport', 'serviceexports', 'Namespaced'],
  ['', 'ServiceImport', 'serviceimports', 'Namespaced'],
]

/**
 * The 19 definitions of Karmada 1.18 by name and scope, as the asset has them. Schemas only of what the stand-in simulates, since the real ones
 * (400 KB) do not come with the repository.
 */
const DEFINITIONS = [
  ...ROWS.map((row) => definition(`${row[0]}.karmada.io`, row)),
  ...EXPORTS.map((row) => definition('multicluster.x-k8s.io', row)),
]

const ASSET = gzipSync(JSON.stringify(DEFINITIONS))

/** Gives the CRDs as `FederationContext.asset` does. */
export const standInAsset = async (name: string): Promise<Uint8Array> => {
  if (!name.startsWith('karmada-crds-')) throw new Error(`no asset ${name}`)
  return ASSET
}
