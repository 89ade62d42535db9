import type { KubernetesObject, Resource } from '../../../../../kubernetes/client.ts'
import type { Manifest } from '../../../../../kubernetes/manifest.ts'
import type { CloudCredential } from '../../../../contract/cluster-driver.ts'
import type { ClusterValues } from '../labels.ts'
import type { AddonWish } from './addons.ts'
import { CLUSTER_LABEL } from './names.ts'
import { cloudConf } from './openstack/cloud-conf.ts'
import { cloudNetworks } from './openstack/networks.ts'
import type { RenderPlan } from './plan.ts'
import { secretOf } from './secrets.ts'
import { clusterWish } from './wish.ts'

/** An addon with the operator's Secret as it was read. */
export type FoundAddon = { desired: AddonWish; secret: KubernetesObject }

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
  'cloud.conf': cloudConf(clusterWish(plan).values, cloudNetworks(plan), credential),
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
  const { values } = clusterWish(plan)
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
