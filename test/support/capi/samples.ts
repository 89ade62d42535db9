import type { ClusterTask } from '../../../functions/core/cluster/cluster-task.ts'
import type { ClusterTemplateSpec } from '../../../functions/core/cluster/cluster-template.ts'
import type { NodeGroup } from '../../../functions/core/cluster/node-group.ts'
import { Secret } from '../../../functions/core/values/secret.ts'
import { classNamespaceObject, namespaceObject } from '../../../functions/drivers/cluster/capi/v1/management/owned.ts'
import type { Infrastructure } from '../../../functions/drivers/cluster/capi/v1/model/infrastructure.ts'
import { classNamespaceOf, clusterNames } from '../../../functions/drivers/cluster/capi/v1/model/names.ts'
import { addonObjects, desiredAddons } from '../../../functions/drivers/cluster/capi/v1/render/addons.ts'
import { managementObjects } from '../../../functions/drivers/cluster/capi/v1/render/class-objects.ts'
import { clusterObject } from '../../../functions/drivers/cluster/capi/v1/render/cluster-object.ts'
import type { RenderPlan } from '../../../functions/drivers/cluster/capi/v1/render/plan.ts'
import { caSecrets, cloudSecret } from '../../../functions/drivers/cluster/capi/v1/render/secrets.ts'
import type { CloudCredential } from '../../../functions/drivers/contract/cluster-driver.ts'
import type { PlannedCluster } from '../../../functions/drivers/contract/cluster-driver-description.ts'
import type { KubernetesObject } from '../../../functions/kubernetes/client.ts'
import { defaultGroups, nodeGroupEntity, templateEntity } from '../drivers/cluster-samples.ts'
import { clusterEntity } from '../drivers/test-cluster.ts'

export type Sample = {
  labels?: Record<string, string>
  /** Template's, and so the cluster's unless `labels` says others. */
  templateLabels?: Record<string, string>
  spec?: Partial<ClusterTemplateSpec>
  magnum?: Partial<RenderPlan['cluster']['magnum']>
  nodeGroups?: readonly NodeGroup[]
  task?: ClusterTask | null
  options?: Record<string, string>
}

/** Constant, so that all renders of a test are of one cluster. */
const CLUSTER_ID = '019a2b3c-0000-7000-8000-0123456789ab'

export const sampleGroups = (change: Partial<NodeGroup> = {}): NodeGroup[] =>
  defaultGroups(CLUSTER_ID).map((group) => ({ ...group, flavorId: 'm1.large', imageId: 'ubuntu-v1.35', ...change }))

/** A cluster as `check` sees it. */
export const samplePlanned = (infrastructure: string, sample: Sample = {}): PlannedCluster => {
  const { templateLabels = { kube_tag: 'v1.35.2' }, labels = templateLabels, task = null, options } = sample
  const template = templateEntity(templateLabels, { driver: 'capi@1' })
  const spec = { ...template.spec, networkDriver: 'calico', imageId: 'ubuntu-v1.35', ...sample.spec }
  const { magnum, ...rest } = clusterEntity({ driver: 'capi@1', id: CLUSTER_ID })
  const own = { labels, templateLabels, masterLbEnabled: true, floatingIpEnabled: true, keypair: 'key' }
  return {
    cluster: { ...rest, magnum: { ...magnum, ...own, ...sample.magnum } },
    template: { ...template, spec },
    nodeGroups: sample.nodeGroups ?? sampleGroups({ labels }),
    task,
    management: { id: 'm', name: 'mgmt', options: { infrastructure, ...options } },
  }
}

/** The same as it is rendered. */
export const samplePlan = (
  infrastructure: Infrastructure,
  sample: Sample & { previous?: KubernetesObject | undefined } = {},
): RenderPlan => {
  const { management, ...planned } = samplePlanned(infrastructure, sample)
  const options = management?.options ?? {}
  const names = clusterNames(planned.cluster, options)
  return { ...planned, names, classNamespace: classNamespaceOf(options), infrastructure, previous: sample.previous }
}

/** Every label that there is, with a value that means something. */
export const ALL_LABELS: Readonly<Record<string, string>> = {
  kube_tag: 'v1.35.2',
  calico_ipv4pool: '10.42.0.0/16',
  cilium_ipv4pool: '10.43.0.0/16',
  service_cluster_ip_range: '10.96.0.0/12',
  dns_cluster_domain: 'k8s.example',
  fixed_subnet_cidr: '10.9.0.0/24',
  master_lb_floating_ip_enabled: 'True',
  api_server_floating_ip: '192.0.2.10',
  api_master_lb_allowed_cidrs: '192.0.2.0/24,198.51.100.0/24',
  api_server_lb_flavor: 'small',
  api_server_lb_availability_zone: 'lb-1',
  octavia_provider: 'amphora',
  octavia_lb_algorithm: 'SOURCE_IP_PORT',
  octavia_lb_healthcheck: 'false',
  control_plane_availability_zones: 'nova-1 nova-2',
  etcd_blockdevice_size: '20',
  etcd_blockdevice_volume_type: 'ssd',
  etcd_blockdevice_volume_az: 'cinder-1',
  container_infra_prefix: 'registry.example.org/kubernetes',
  api_server_cert_sans: 'api.example.org,192.0.2.11',
  api_server_tls_cipher_suites: 'TLS_AES_128_GCM_SHA256,TLS_AES_256_GCM_SHA384',
  admission_control_list: 'PodSecurity,NodeRestriction',
  oidc_issuer_url: 'https://id.example.org',
  oidc_client_id: 'kubernetes',
  oidc_username_claim: 'email',
  oidc_username_prefix: 'oidc:',
  oidc_groups_claim: 'groups',
  oidc_groups_prefix: 'oidc:',
  audit_log_enabled: 'true',
  audit_log_max_age: '7',
  audit_log_maxbackup: '3',
  audit_log_max_size: '50',
  keystone_auth_enabled: 'true',
  calico_tag: 'v3.30.2',
  cinder_csi_plugin_tag: 'v1.34.0',
  manila_csi_enabled: 'true',
  csi_cinder_availability_zone: 'nova',
  csi_cinder_reclaim_policy: 'Delete',
  auto_healing_enabled: 'false',
  auto_scaling_enabled: 'true',
  max_node_count: '5',
  availability_zone: 'nova-1',
  boot_volume_size: '40',
  boot_volume_type: 'ssd',
  boot_volume_availability_zone: 'cinder-1',
  docker_volume_type: 'ssd',
  extra_network_names: 'storage 5f3c9a50-2f7d-4a55-9d3b-0a4b6a1f7e01',
  kubelet_tls_cipher_suites: 'TLS_AES_128_GCM_SHA256',
  capi_disk_bus: 'scsi',
  dev_startup_seconds: '2',
}

/** A cluster that uses everything: proxies, disks, labels, taints, an autoscaled group and one beside it. */
export const fullSample = (): Sample => ({
  templateLabels: ALL_LABELS,
  spec: {
    externalNetworkId: 'public',
    dnsNameserver: '192.0.2.53, 192.0.2.54',
    apiserverPort: 6444,
    httpProxy: 'http://proxy.example.org:3128',
    httpsProxy: 'http://proxy.example.org:3128',
    noProxy: '10.0.0.0/8,.example.org',
    clusterDistro: 'ubuntu',
  },
  options: { addons_namespace: 'fedplane-addons' },
  nodeGroups: [
    ...sampleGroups({ labels: ALL_LABELS, dockerVolumeSize: 30 }),
    nodeGroupEntity('GPU nodes', {
      number: 3,
      nodeCount: 0,
      flavorId: '5f3c9a50-2f7d-4a55-9d3b-0a4b6a1f7e02',
      imageId: '5f3c9a50-2f7d-4a55-9d3b-0a4b6a1f7e03',
      labels: { availability_zone: 'nova-2' },
      nodeLabels: { 'example.org/gpu': 'a100' },
      nodeTaints: [
        { key: 'gpu', effect: 'NoSchedule' },
        { key: 'team', value: 'ml', effect: 'NoExecute' },
      ],
    }),
  ],
})

export const CREDENTIAL: CloudCredential = {
  authUrl: 'https://keystone.example.org/v3',
  region: 'RegionOne',
  applicationCredentialId: 'credential-id',
  applicationCredentialSecret: 'credential-"secret"',
  caPem: '-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n',
}

const authority = (name: string) => ({
  certificatePem: `certificate of ${name}`,
  privateKey: new Secret(`key of ${name}`),
})

/**
 * All that is written for a cluster with everything, in the order in which it is: for dry runs at API servers with the real definitions. Keys and certificates
 * are none.
 */
export const exampleObjects = (infrastructure: Infrastructure): KubernetesObject[] => {
  const sample = fullSample()
  const plan = samplePlan(infrastructure, sample)
  const { cluster, names, classNamespace } = plan
  const found = desiredAddons(plan, sample.options ?? {}).map((desired) => ({
    desired,
    secret: { apiVersion: 'v1', kind: 'Secret', metadata: { name: desired.secret }, data: { 'manifest.yaml': 'e30=' } },
  }))
  return [
    classNamespaceObject(classNamespace),
    ...managementObjects(infrastructure, classNamespace).map(({ object }) => object),
    namespaceObject(names, cluster.projectId),
    ...caSecrets(cluster, names, {
      kubernetes: authority('kubernetes'),
      etcd: authority('etcd'),
      'front-proxy': authority('front-proxy'),
    }),
    ...(infrastructure === 'openstack'
      ? [cloudSecret(cluster, names, CREDENTIAL), ...addonObjects(plan, found, CREDENTIAL)]
      : []),
    clusterObject(plan),
  ]
}
