/** Section 4.2: the keys of clusters. */

const COMMON = [
  'uuid',
  'name',
  'cluster_template_id',
  'keypair',
  'node_count',
  'master_count',
  'docker_volume_size',
  'labels',
  'master_flavor_id',
  'flavor_id',
  'create_timeout',
  'links',
  'status',
  'health_status',
  'merge_labels',
]

const stackAt = (version: string): string => (['1.1', '1.12'].includes(version) ? 'stack_id' : 'cluster_id')

/** Of an item of the plain list: Magnum's, nothing more. */
export const itemKeys = (version: string): string[] => [...COMMON, stackAt(version)]

/** `design.md` section 2: what fedplane adds to Magnum's. */
const ADDED = ['driver', 'conditions', 'federations', 'operation', 'tls_verify', 'management', 'management_cluster']

/** Of clusters in detail and of one shown; `faults` comes to failed ones that are shown. */
export const wholeKeys = (version: string): string[] => [
  ...itemKeys(version),
  'status_reason',
  'health_status_reason',
  'discovery_url',
  'api_address',
  'coe_version',
  'container_version',
  'project_id',
  'user_id',
  'node_addresses',
  'master_addresses',
  'fixed_network',
  'fixed_subnet',
  'floating_ip_enabled',
  'labels_overridden',
  'labels_added',
  'labels_skipped',
  'master_lb_enabled',
  'created_at',
  'updated_at',
  ...ADDED,
]
