import type { Attribute, Attributes } from '../values/attributes.ts'
import { STATUSES } from '../values/status.ts'

/**
 * Magnum's attributes of clusters, cluster templates and node groups (magnum-rest.md sections 4 to 6), and what fedplane adds to them. Entities,
 * schemas of requests and answers, what is shown and sorted by, what a patch may change and `docs/api/attributes.md` derive from these tables.
 * Their order is that of answers.
 */

export const NETWORK_DRIVERS = ['flannel', 'calico', 'cilium'] as const
export const SERVER_TYPES = ['vm', 'bm'] as const

/** What only the server sets, and a request is refused for; or not refused, as in Magnum. */
const READ = { type: 'text', shown: 'list', sorts: true } as const
const DROPPED = { ...READ, request: 'ignored' } as const
const STATUS = { ...DROPPED, words: STATUSES } as const
const LABEL_DIFF = { type: 'labels', request: 'ignored', shown: 'detail' } as const
const LINKS = { type: 'links', shown: 'list' } as const

/** What a request may set, and the entity keeps. */
const SET = { request: 'optional', kept: true, shown: 'list', sorts: true } as const
const TEXT = { ...SET, type: 'text', nullable: true } as const
const LABELS = { ...SET, type: 'labels', default: {} } as const
/** GB. */
const VOLUME_SIZE = { ...SET, type: 'integer', min: 1, nullable: true } as const
const COUNT = { type: 'integer', request: 'optional', default: 1, shown: 'list' } as const
const MERGE_LABELS = { type: 'boolean', request: 'optional', shown: 'list' } as const

const FLAG = { ...SET, type: 'boolean', default: false } as const
/** Of the template itself, not of its clusters. */
const OWN = { ...READ, request: 'optional', inUse: true } as const
const OWN_TEXT = { ...OWN, nullable: true, patch: 'remove' } as const
const PUBLISHED = {
  ...OWN,
  type: 'boolean',
  default: false,
  patch: 'replace',
  rule: 'clustertemplate:publish',
} as const

const REMOVABLE_TEXT = { ...TEXT, patch: 'remove' } as const
const FIXED_FLAG = { ...FLAG, patch: 'replace' } as const

/** Of cluster templates: all answers have all of them. */
export const TEMPLATE_ATTRIBUTES = {
  uuid: { type: 'text', request: 'optional', shown: 'list' },
  name: OWN_TEXT,
  /** Kubernetes is the only one that Magnum still has. */
  coe: { ...SET, type: 'word', words: ['kubernetes'], request: 'required', patch: 'replace' },
  image_id: { ...SET, type: 'text', request: 'required', patch: 'replace' },
  flavor_id: REMOVABLE_TEXT,
  master_flavor_id: REMOVABLE_TEXT,
  keypair_id: REMOVABLE_TEXT,
  external_network_id: { ...TEXT, patch: 'replace' },
  fixed_network: REMOVABLE_TEXT,
  fixed_subnet: REMOVABLE_TEXT,
  network_driver: { ...TEXT, words: NETWORK_DRIVERS, default: 'flannel', patch: 'replace' },
  volume_driver: { ...TEXT, words: ['cinder'], patch: 'remove' },
  /** One IPv4 address, or several with commas between. */
  dns_nameserver: REMOVABLE_TEXT,
  apiserver_port: { ...SET, type: 'integer', min: 1024, max: 65_535, nullable: true, patch: 'remove' },
  docker_volume_size: { ...VOLUME_SIZE, patch: 'remove' },
  docker_storage_driver: REMOVABLE_TEXT,
  labels: { ...LABELS, patch: 'remove' },
  server_type: { ...SET, type: 'word', words: SERVER_TYPES, default: 'vm', patch: 'replace' },
  /** Magnum takes it from the image. There is no image service here, so what the caller gives is kept. */
  cluster_distro: { ...TEXT, patch: 'replace' },
  registry_enabled: FIXED_FLAG,
  insecure_registry: REMOVABLE_TEXT,
  tls_disabled: FIXED_FLAG,
  master_lb_enabled: { ...FLAG, patch: 'remove' },
  floating_ip_enabled: { ...FLAG, default: true, patch: 'remove' },
  http_proxy: REMOVABLE_TEXT,
  https_proxy: REMOVABLE_TEXT,
  no_proxy: REMOVABLE_TEXT,
  /** Readable in every project. */
  public: PUBLISHED,
  /** Not listed to others, and nothing can be made from it but by administrators. */
  hidden: PUBLISHED,
  /** Comma list. */
  tags: OWN_TEXT,
  driver: { ...READ, request: 'optional', ours: true },
  project_id: READ,
  user_id: READ,
  links: LINKS,
  created_at: { ...READ, type: 'time' },
  updated_at: { ...READ, type: 'time', nullable: true },
} as const satisfies Attributes

/** What a cluster has of its template, where it is not given. `true`: the attribute of the same name. */
type ClusterAttribute = Attribute & { inherits?: keyof typeof TEMPLATE_ATTRIBUTES | true }

const INHERITED = { ...TEXT, inherits: true } as const
const INHERITED_DETAIL = { ...INHERITED, shown: 'detail' } as const
const INHERITED_FLAG = { ...INHERITED_DETAIL, type: 'boolean' } as const
const DETAIL = { ...READ, shown: 'detail' } as const
const SEEN = { ...DETAIL, nullable: true } as const
const HEALTH = { ...DROPPED, patch: 'remove', rule: 'cluster:update_health_status' } as const
const ADDRESSES = { type: 'list', shown: 'detail' } as const

/** What fedplane adds: what a request says only, and what is shown only. */
const INPUT = { type: 'text', request: 'optional', ours: true } as const
const CONNECTION = { ...INPUT, patch: 'replace' } as const
const OURS = { type: 'object', shown: 'detail', ours: true } as const
const OURS_OR_NONE = { ...OURS, nullable: true } as const

export const CLUSTER_ATTRIBUTES = {
  uuid: DROPPED,
  /** Of registered clusters it can be changed. */
  name: { ...READ, request: 'optional', patch: 'replace' },
  /** By id or name. Null names a template that does not exist (magnum-rest.md 13.7). */
  cluster_template_id: { ...SET, type: 'text', request: 'nullable' },
  keypair: { ...TEXT, inherits: 'keypair_id' },
  node_count: { ...COUNT, min: 0, patch: 'remove' },
  master_count: { ...COUNT, min: 1 },
  docker_volume_size: { ...VOLUME_SIZE, inherits: true },
  /** Those of the template when none are given; with `merge_labels` laid over them. */
  labels: { ...LABELS, inherits: true, patch: 'remove' },
  master_flavor_id: INHERITED,
  flavor_id: INHERITED,
  /** Minutes. */
  create_timeout: { ...SET, type: 'integer', min: 0, request: 'nullable', nullable: true, default: 60 },
  links: LINKS,
  stack_id: { ...READ, until: 12 },
  cluster_id: { type: 'text', shown: 'list', since: 13 },
  status: STATUS,
  health_status: { ...HEALTH, words: ['HEALTHY', 'UNHEALTHY', 'UNKNOWN'], nullable: true },
  merge_labels: MERGE_LABELS,
  labels_overridden: LABEL_DIFF,
  labels_added: LABEL_DIFF,
  labels_skipped: LABEL_DIFF,
  status_reason: { ...DROPPED, nullable: true, shown: 'detail' },
  health_status_reason: { ...HEALTH, type: 'labels', shown: 'detail' },
  discovery_url: { ...TEXT, max: 2048, shown: 'detail' },
  api_address: SEEN,
  coe_version: SEEN,
  container_version: SEEN,
  project_id: DETAIL,
  user_id: DETAIL,
  node_addresses: ADDRESSES,
  master_addresses: ADDRESSES,
  fixed_network: INHERITED_DETAIL,
  fixed_subnet: INHERITED_DETAIL,
  floating_ip_enabled: INHERITED_FLAG,
  master_lb_enabled: INHERITED_FLAG,
  created_at: { ...DETAIL, type: 'time' },
  updated_at: { ...SEEN, type: 'time' },
  /** What registers a cluster of Amazon EKS. */
  eks: { ...OURS, request: 'optional' },
  driver: { ...INPUT, shown: 'detail' },
  kubeconfig: { ...CONNECTION, type: 'object' },
  /** Which context of the kubeconfig; default its `current-context`. */
  context: { ...CONNECTION, max: 1024 },
  insecure_skip_tls_verify: { ...CONNECTION, type: 'boolean' },
  /** The API server's address as other clusters reach it. */
  server_for_peers: { ...INPUT, max: 2048, patch: 'remove' },
  conditions: OURS,
  federations: OURS,
  operation: OURS_OR_NONE,
  tls_verify: { ...OURS_OR_NONE, type: 'boolean' },
  /** Makes the registered cluster a management cluster: for administrators. */
  management: { ...OURS_OR_NONE, request: 'optional', patch: 'remove', rule: 'cluster:set_management' },
  management_cluster: { ...OURS_OR_NONE, type: 'text' },
  /** Only when something failed. */
  faults: { type: 'labels', request: 'ignored', shown: 'one' },
} as const satisfies Readonly<Record<string, ClusterAttribute>>

const LIMIT = { ...SET, type: 'integer', min: 0, patch: 'remove' } as const
const WHOLE = { ...DROPPED, shown: 'one' } as const
const WHOLE_DIFF = { ...LABEL_DIFF, shown: 'one' } as const
const MARKS = { ...SET, shown: 'one', patch: 'remove' } as const

export const NODE_GROUP_ATTRIBUTES = {
  /** Rises within the cluster. */
  id: { type: 'integer', request: 'ignored', shown: 'one', sorts: true },
  uuid: DROPPED,
  name: { ...SET, type: 'text', request: 'required' },
  flavor_id: TEXT,
  image_id: TEXT,
  node_count: { ...COUNT, min: 0, sorts: true },
  role: { ...SET, type: 'text', default: 'worker' },
  min_node_count: { ...LIMIT, default: 0 },
  /** 0 is no limit, too. */
  max_node_count: { ...LIMIT, nullable: true },
  is_default: { ...DROPPED, type: 'boolean', kept: true },
  /** The cluster's id, in every version. */
  stack_id: READ,
  status: { ...STATUS, kept: true },
  merge_labels: MERGE_LABELS,
  /** A request's is overwritten by the path's. */
  cluster_id: { ...WHOLE, kept: true },
  project_id: { ...READ, kept: true, shown: 'one' },
  docker_volume_size: { ...VOLUME_SIZE, shown: 'one' },
  labels: { ...LABELS, shown: 'one' },
  links: { ...LINKS, shown: 'one' },
  node_addresses: { type: 'list', kept: true, shown: 'one', sorts: true },
  status_reason: { ...WHOLE, nullable: true },
  version: { ...WHOLE, nullable: true, kept: true },
  labels_overridden: WHOLE_DIFF,
  labels_added: WHOLE_DIFF,
  labels_skipped: WHOLE_DIFF,
  node_labels: { ...MARKS, type: 'labels', default: {} },
  node_taints: { ...MARKS, type: 'object' },
  created_at: { ...WHOLE, type: 'time' },
  updated_at: { ...WHOLE, type: 'time', nullable: true },
} as const satisfies Attributes
