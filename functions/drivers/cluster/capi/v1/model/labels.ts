import * as z from 'zod'
import type { Labels } from '../../../../../core/values/labels.ts'
import { quote } from '../../../../../core/values/wording.ts'
import type { Infrastructure } from './infrastructure.ts'
import {
  address,
  cidr,
  cidrs,
  flag,
  type LabelRule,
  list,
  matching,
  name,
  names,
  oneOf,
  openstack,
  version,
  wholeNumber,
  withDefault,
} from './label-rules.ts'

const GB_MAX = 100_000
const gigabytes = wholeNumber(GB_MAX, ' of GB')
/** Of releases of addons: part of the name of a Secret. */
const tag = matching(/^[a-z0-9](?:[a-z0-9.-]{0,61}[a-z0-9])?$/, 'the tag of a release such as v3.30.2')
const url = matching(/^https:\/\/[\w.:/@%~?=&-]{1,500}$/, 'an https:// address')
const ciphers = list(
  z.string().regex(/^TLS_[A-Z0-9_]{1,60}$/),
  'names of cipher suites such as TLS_AES_128_GCM_SHA256, with commas between',
)
const plugins = list(
  z.string().regex(/^[A-Za-z]{1,60}$/),
  'names of admission plugins such as PodSecurity, with commas between',
)
const domain = matching(
  /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/,
  'a DNS name such as cluster.local',
)
const claim = matching(/^[\w.:/@+~-]{1,255}$/, 'a text of letters, digits and "._:/@+~-"')
/** Where images come from: `registry:port/path`. Magnum's own drivers want it to end with a slash, kubeadm without. */
const registry: LabelRule<string | undefined> = {
  schema: z
    .string()
    .regex(/^[a-z0-9][a-z0-9._:/-]{0,254}$/)
    .transform((text) => text.replace(/\/+$/, '')),
  expected: 'a registry with its path, such as registry.example.org/kubernetes',
  fallback: undefined,
}
/** What kubeadm takes: it gives a node of 256 addresses to each of at most 65,536 nodes. */
const podsNetwork = cidr(8, 24)
/** What API servers and kubeadm take: at most 2^20 addresses, and at least ten. */
const servicesNetwork = cidr(12, 28)
/** CAPO looks a load balancer's flavor up by its name, and takes the default one when it finds none. */
const flavorName = matching(
  /^(?![0-9a-fA-F]{8}-[0-9a-fA-F]{4}-)[\w.:/@+~-]{1,255}$/,
  'a name, not an id, of 1 to 255 letters, digits and "._:/@+~-"',
)
const subjects = list(
  z.union([
    z.ipv4(),
    z.ipv6(),
    z
      .string()
      .regex(/^(?=.{1,253}$)(\*\.)?[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/i),
  ]),
  'DNS names and addresses with commas or spaces between',
)

/** Labels of a cluster. A control plane, and what all node groups share, is made by these. */
export const CLUSTER_LABELS = {
  kube_tag: version,
  management_cluster: name,
  calico_ipv4pool: podsNetwork,
  cilium_ipv4pool: podsNetwork,
  service_cluster_ip_range: withDefault(servicesNetwork, '10.254.0.0/16'),
  dns_cluster_domain: withDefault(domain, 'cluster.local'),
  fixed_subnet_cidr: openstack(withDefault(cidr(8, 28), '10.0.0.0/24')),
  master_lb_floating_ip_enabled: openstack(flag),
  api_server_floating_ip: openstack(address),
  api_master_lb_allowed_cidrs: openstack(cidrs),
  api_server_lb_flavor: openstack(flavorName),
  api_server_lb_availability_zone: openstack(name),
  octavia_provider: openstack(name),
  octavia_lb_algorithm: openstack(oneOf(['ROUND_ROBIN', 'LEAST_CONNECTIONS', 'SOURCE_IP', 'SOURCE_IP_PORT'])),
  octavia_lb_healthcheck: openstack(withDefault(flag, true)),
  control_plane_availability_zones: openstack(names),
  etcd_volume_size: openstack(gigabytes),
  etcd_blockdevice_size: openstack(gigabytes),
  etcd_blockdevice_type: openstack(withDefault(oneOf(['volume', 'local']), 'volume')),
  etcd_volume_type: openstack(name),
  etcd_blockdevice_volume_type: openstack(name),
  etcd_blockdevice_volume_az: openstack(name),
  container_infra_prefix: registry,
  api_server_cert_sans: subjects,
  api_server_tls_cipher_suites: ciphers,
  admission_control_list: plugins,
  oidc_issuer_url: url,
  oidc_client_id: claim,
  oidc_username_claim: claim,
  oidc_username_prefix: claim,
  oidc_groups_claim: claim,
  oidc_groups_prefix: claim,
  audit_log_enabled: withDefault(flag, false),
  audit_log_max_age: withDefault(wholeNumber(3650, ' of days'), 30),
  audit_log_max_backup: withDefault(wholeNumber(1000), 10),
  audit_log_max_size: withDefault(wholeNumber(100_000, ' of MB'), 100),
  audit_log_maxage: wholeNumber(3650, ' of days'),
  audit_log_maxbackup: wholeNumber(1000),
  audit_log_maxsize: wholeNumber(100_000, ' of MB'),
  keystone_auth_enabled: openstack(withDefault(flag, false)),
  calico_tag: openstack(tag),
  cilium_tag: openstack(tag),
  cloud_provider_tag: openstack(tag),
  cinder_csi_enabled: openstack(withDefault(flag, true)),
  cinder_csi_plugin_tag: openstack(tag),
  manila_csi_enabled: openstack(withDefault(flag, false)),
  manila_csi_plugin_tag: openstack(tag),
  monitoring_enabled: openstack(withDefault(flag, false)),
  csi_cinder_availability_zone: openstack(name),
  csi_cinder_reclaim_policy: openstack(withDefault(oneOf(['Retain', 'Delete']), 'Retain')),
  csi_cinder_volume_binding_mode: openstack(
    withDefault(oneOf(['WaitForFirstConsumer', 'Immediate']), 'WaitForFirstConsumer'),
  ),
  csi_cinder_fstype: openstack(withDefault(oneOf(['ext4', 'xfs']), 'ext4')),
  csi_cinder_allow_volume_expansion: openstack(withDefault(flag, true)),
} as const satisfies Readonly<Record<string, LabelRule<unknown>>>

/** Labels of a node group, which has its cluster's unless it was given its own. */
export const GROUP_LABELS = {
  auto_healing_enabled: withDefault(flag, true),
  auto_scaling_enabled: withDefault(flag, false),
  min_node_count: wholeNumber(2 ** 31 - 1),
  max_node_count: wholeNumber(1_000_000),
  availability_zone: openstack(name),
  boot_volume_size: openstack(withDefault(gigabytes, 0)),
  boot_volume_type: openstack(name),
  boot_volume_availability_zone: openstack(name),
  docker_volume_type: openstack(name),
  extra_network_names: openstack(names),
  extra_network_name: openstack(names),
  kubelet_tls_cipher_suites: ciphers,
  capi_disk_bus: openstack(withDefault(oneOf(['virtio', 'scsi']), 'virtio')),
  dev_startup_seconds: { ...withDefault(wholeNumber(3600, ' of seconds'), 1), on: 'dev' },
} as const satisfies Readonly<Record<string, LabelRule<unknown>>>

type Rules = Readonly<Record<string, LabelRule<unknown>>>
type Values<R extends Rules> = { readonly [K in keyof R]: R[K]['fallback'] }

export type ClusterValues = Values<typeof CLUSTER_LABELS>
export type GroupValues = Values<typeof GROUP_LABELS>

/** Empty labels are as absent: `--labels calico_tag=` is how Magnum's clients take one back. */
const givenOf = (labels: Labels, key: string): string | undefined =>
  Object.hasOwn(labels, key) && labels[key] !== '' ? labels[key] : undefined

/** What counts for a label that can't be read is what counts without it: `check` has refused it before anything was made by it. */
const readOr = ({ schema, fallback }: LabelRule<unknown>, text: string | undefined): unknown => {
  const read = schema.safeParse(text)
  return read.success ? read.data : fallback
}

const read = <R extends Rules>(rules: R, labels: Labels): Values<R> =>
  Object.fromEntries(Object.entries(rules).map(([key, rule]) => [key, readOr(rule, givenOf(labels, key))])) as Values<R>

/** What the labels of a cluster say. */
export const clusterValues = (labels: Labels): ClusterValues => read(CLUSTER_LABELS, labels)

/** What the labels of a node group say. */
export const groupValues = (labels: Labels): GroupValues => read(GROUP_LABELS, labels)

/** Every label that is read. */
export const ALL_RULES: Rules = { ...CLUSTER_LABELS, ...GROUP_LABELS }

/** One sentence for each label that can't be read. `whose`: "the cluster", "node group gpu". Labels of another infrastructure are not checked. */
export const labelFaults = (
  labels: Labels,
  whose: string,
  infrastructure: Infrastructure | undefined,
  isAsked: (key: string) => boolean = () => true,
): string[] =>
  Object.entries(ALL_RULES).flatMap(([key, { schema, expected, on }]) => {
    const text = givenOf(labels, key)
    if (text === undefined || !isAsked(key) || (on !== undefined && on !== infrastructure)) return []
    return schema.safeParse(text).success ? [] : [`Label ${key} of ${whose} is ${quote(text)}; give ${expected}.`]
  })
