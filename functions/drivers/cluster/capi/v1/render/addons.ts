import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import type { CloudCredential } from '../../../../contract/cluster-driver.ts'
import { wantedLabels } from '../model/desired.ts'
import type { ClusterValues } from '../model/labels.ts'
import { CLUSTER_LABEL } from '../model/names.ts'
import { desiredCluster, networkDriverOf, type RenderPlan } from './plan.ts'
import { cloudConf, cloudNetworks, secretOf } from './secrets.ts'

/** Manifests that the operator keeps as a Secret in the management cluster, in the namespace that option `addons_namespace` names. */
type DesiredAddon = {
  /** For example `calico`. */
  addon: string
  /** Name of the operator's Secret: the addon's, or with a label for its release `calico-v3.30.2`. */
  secret: string
  /** True: without it the cluster would not be what was asked for. Others are left out when there is none. */
  isRequired: boolean
  /** Why it is needed, to complete a sentence: `network_driver is calico`. */
  reason: string
}

type Asked = { addon: string; tag: string | undefined; isRequired: boolean; reason: string }

/** Labels that ask for an addon when they are true, with the one for its release. On by default means: when the operator has it. */
const SWITCHES = [
  { addon: 'cinder-csi', label: 'cinder_csi_enabled', tag: 'cinder_csi_plugin_tag' },
  { addon: 'manila-csi', label: 'manila_csi_enabled', tag: 'manila_csi_plugin_tag' },
  { addon: 'keystone-auth', label: 'keystone_auth_enabled', tag: undefined },
  { addon: 'monitoring', label: 'monitoring_enabled', tag: undefined },
] as const

const switched = (values: ClusterValues, labels: Readonly<Record<string, string>>): Asked[] =>
  SWITCHES.filter(({ label }) => values[label]).map(({ addon, label, tag }) => ({
    addon,
    tag: tag && values[tag],
    isRequired: (labels[label] ?? '') !== '' || (tag !== undefined && values[tag] !== undefined),
    reason: `label ${label} is true`,
  }))

/** Without a CNI no node becomes Ready; without the cloud's controllers no node loses its taint `uninitialized`. */
const basic = (values: ClusterValues, networkDriver: string): Asked[] => [
  {
    addon: networkDriver,
    tag: networkDriver === 'cilium' ? values.cilium_tag : values.calico_tag,
    isRequired: true,
    reason: `network_driver is ${networkDriver}`,
  },
  {
    addon: 'cloud-provider-openstack',
    tag: values.cloud_provider_tag,
    isRequired: true,
    reason: 'its nodes are machines of OpenStack',
  },
]

/** What is to be looked up for a cluster. None where the registration names no namespace for it, and for infrastructures whose nodes run nothing. */
export const desiredAddons = (plan: RenderPlan, options: Readonly<Record<string, string>>): DesiredAddon[] => {
  if (options.addons_namespace === undefined || plan.infrastructure !== 'openstack') return []
  const { values } = desiredCluster(plan)
  return [...basic(values, networkDriverOf(plan)), ...switched(values, wantedLabels(plan))].map(
    ({ tag, ...asked }) => ({ ...asked, secret: tag === undefined ? asked.addon : `${asked.addon}-${tag}` }),
  )
}

/** What to say when the operator has no such Secret. */
export const addonMissing = ({ addon, secret, reason }: DesiredAddon, namespace: string, where: string): string =>
  `Management cluster ${where} has no Secret ${secret} in namespace ${namespace}, which would bring the addon ${addon}: ${reason}. ` +
  'Ask its operator for it, or choose another one.'

/** An addon with the operator's Secret as it was read. */
export type FoundAddon = { desired: DesiredAddon; secret: KubernetesObject }

/** Type of Secrets that a ClusterResourceSet applies; the operator's must have it too. */
const RESOURCE_SET = 'addons.cluster.x-k8s.io/resource-set'

export const clusterResourceSets = (namespace: string): Resource => ({
  group: 'addons.cluster.x-k8s.io',
  version: 'v1beta2',
  plural: 'clusterresourcesets',
  namespace,
})

/** Where the cloud's configuration is in the cluster: where cloud-provider-openstack and Cinder CSI look for it. */
export const CLOUD_CONFIG = { namespace: 'kube-system', name: 'cloud-config' } as const

/**
 * The cloud's configuration for what runs in the cluster, by file. With the cluster's name, since cloud-provider-openstack calls load balancers by that:
 * two clusters of a project that are both called `kubernetes`, its default, take each other's.
 */
export const cloudConfigFiles = (plan: RenderPlan, credential: CloudCredential): Record<string, string> => ({
  'cloud.conf': cloudConf(desiredCluster(plan).values, cloudNetworks(plan), credential),
  'cluster-name': plan.names.cluster,
  ...(credential.caPem === null ? {} : { 'ca.crt': credential.caPem }),
})

const cloudConfigManifest = (plan: RenderPlan, credential: CloudCredential): Manifest<'Secret'> => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: CLOUD_CONFIG,
  type: 'Opaque',
  stringData: cloudConfigFiles(plan, credential),
})

/** The default StorageClass. Its parameters can't be changed once it is there. */
const storageClassManifest = (values: ClusterValues): Manifest<'StorageClass'> => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'cinder', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  provisioner: 'cinder.csi.openstack.org',
  parameters: {
    'csi.storage.k8s.io/fstype': values.csi_cinder_fstype,
    ...(values.csi_cinder_availability_zone === undefined ? {} : { availability: values.csi_cinder_availability_zone }),
  },
  reclaimPolicy: values.csi_cinder_reclaim_policy,
  volumeBindingMode: values.csi_cinder_volume_binding_mode,
  allowVolumeExpansion: values.csi_cinder_allow_volume_expansion,
})

const resourceSet = (
  plan: RenderPlan,
  name: string,
  strategy: string,
  secrets: KubernetesObject[],
): KubernetesObject => ({
  apiVersion: 'addons.cluster.x-k8s.io/v1beta2',
  kind: 'ClusterResourceSet',
  metadata: {
    name,
    namespace: plan.names.namespace,
    labels: { 'app.kubernetes.io/managed-by': 'fedplane', [CLUSTER_LABEL]: plan.cluster.id },
  },
  spec: {
    clusterSelector: { matchLabels: { [CLUSTER_LABEL]: plan.cluster.id } },
    resources: secrets.map(({ metadata: { name } }) => ({ kind: 'Secret', name })),
    strategy,
  },
})

const manifestsSecret = (plan: RenderPlan, part: string, texts: Readonly<Record<string, string>>): Manifest<'Secret'> =>
  secretOf(plan, { name: `${plan.names.cluster}-${part}`, type: RESOURCE_SET, texts })

/** The Secret that brings the cloud's configuration into the cluster. */
export const cloudConfigSecret = (plan: RenderPlan, credential: CloudCredential): Manifest<'Secret'> =>
  manifestsSecret(plan, 'addon-cloud-config', {
    'cloud-config.json': JSON.stringify(cloudConfigManifest(plan, credential)),
  })

/** Of the ClusterResourceSet that applies it, and the operator's manifests. */
export const addonsName = ({ names }: RenderPlan): string => `${names.cluster}-addons`

/** An operator's Secret, in the project's namespace: a ClusterResourceSet takes Secrets of its own namespace only. */
const copyOf = (plan: RenderPlan, { desired, secret }: FoundAddon): Manifest<'Secret'> => ({
  ...manifestsSecret(plan, `addon-${desired.addon}`, {}),
  data: (secret.data ?? {}) as Record<string, string>,
})

/**
 * What brings addons into a cluster of OpenStack: Secrets of manifests, and the ClusterResourceSets that apply them, after their Secrets. What may change,
 * a rotated credential above all, is applied again when it does; a StorageClass once. Apply them before the Cluster, and again at an upgrade.
 */
export const addonObjects = (
  plan: RenderPlan,
  found: readonly FoundAddon[],
  credential: CloudCredential,
): KubernetesObject[] => {
  const { values } = desiredCluster(plan)
  const reconciled = [cloudConfigSecret(plan, credential), ...found.map((addon) => copyOf(plan, addon))]
  const storage = values.cinder_csi_enabled
    ? [
        manifestsSecret(plan, 'addon-storage', {
          'storage-class.json': JSON.stringify(storageClassManifest(values)),
        }),
      ]
    : []
  return [
    ...reconciled,
    ...storage,
    resourceSet(plan, addonsName(plan), 'Reconcile', reconciled),
    ...storage.map((secret) => resourceSet(plan, `${plan.names.cluster}-storage`, 'ApplyOnce', [secret])),
  ]
}
