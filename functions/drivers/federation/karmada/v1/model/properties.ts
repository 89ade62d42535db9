import type { Federation } from '../../../../../core/federation/federation.ts'
import type { Properties, PropertyDescription } from '../../../../contract/federation-driver-description.ts'
import { MARK_PROPERTIES } from '../../../../contract/object-marks.ts'
import { DEFAULT_NAMESPACE } from './names.ts'

export const NAMESPACE = 'namespace'
export const API_SERVICE_TYPE = 'api-service-type'
export const API_SERVICE_ANNOTATIONS = 'api-service-annotations'
export const API_LOAD_BALANCER_CLASS = 'api-load-balancer-class'
export const API_ENDPOINT = 'api-endpoint'
export const API_PORT = 'api-port'
export const API_NODE_PORT = 'api-node-port'
export const EXTRA_SANS = 'extra-sans'
export const STORAGE_CLASS = 'storage-class'
export const STORAGE_SIZE = 'storage-size'
export const KEEP_DATA = 'keep-data'
export const REPLICAS = 'replicas'
export const IMAGE_REGISTRY = 'image-registry'
export const IMAGE_PULL_SECRET = 'image-pull-secret'
export const KARMADA_IMAGE_TAG = 'karmada-image-tag'
export const KUBE_IMAGE_TAG = 'kube-image-tag'
export const ETCD_IMAGE_TAG = 'etcd-image-tag'
export const CLUSTER_DOMAIN = 'cluster-domain'
export const MEMBER_CLUSTER_ROLE = 'member-cluster-role'

/** Options that are something when they are absent or empty. */
export const DEFAULTS = {
  [NAMESPACE]: DEFAULT_NAMESPACE,
  [API_SERVICE_TYPE]: 'LoadBalancer',
  [API_PORT]: '5443',
  [STORAGE_SIZE]: '10Gi',
  [KEEP_DATA]: 'false',
  [REPLICAS]: '1',
  [KARMADA_IMAGE_TAG]: 'v1.18.2',
  [KUBE_IMAGE_TAG]: 'v1.35.2',
  [ETCD_IMAGE_TAG]: '3.6.6-0',
  [CLUSTER_DOMAIN]: 'cluster.local',
} as const satisfies Readonly<Record<string, string>>

/** What an option is when it is absent or empty; null for those without a default. */
export const defaultOf = (key: string): string | null =>
  Object.entries(DEFAULTS).find(([name]) => name === key)?.[1] ?? null

const DESCRIPTIONS: readonly (readonly [key: string, description: string])[] = [
  [NAMESPACE, 'Namespace of the host for the control plane. Made when there is none. Fixed.'],
  [
    API_SERVICE_TYPE,
    'How the API server is exposed: LoadBalancer, NodePort, or ClusterIP, which needs api-endpoint. Fixed.',
  ],
  [
    API_SERVICE_ANNOTATIONS,
    "Annotations of the API server's Service, as key=value separated by commas: what the host's load balancer controller reads.",
  ],
  [API_LOAD_BALANCER_CLASS, "loadBalancerClass of the API server's Service, where the host has several. Fixed."],
  [
    API_ENDPOINT,
    'https://host:port (443 when the port is left out) under which clients find the API server, where that is not the address of its Service: a DNS name, a proxy or NAT in front of it.',
  ],
  [API_PORT, "Port of the API server's Service. Fixed."],
  [API_NODE_PORT, "Node port of the API server's Service; else the host chooses one. Fixed."],
  [EXTRA_SANS, 'More DNS names and IP addresses for which the API server has a certificate, separated by commas.'],
  [STORAGE_CLASS, "StorageClass of etcd's volumes; else the host's default. Fixed."],
  [STORAGE_SIZE, "Size of each of etcd's volumes. Fixed."],
  [
    KEEP_DATA,
    "true: a delete leaves etcd's volume claims, and with them the namespace. They are reported as leftovers.",
  ],
  [
    REPLICAS,
    '1, or 3: three etcd members, three API servers, and controllers with a leader, spread over nodes. Grows from 1 to 3, does not shrink.',
  ],
  [
    IMAGE_REGISTRY,
    'Registry, with path, from which all images come under their own names (<registry>/kube-apiserver, <registry>/karmada-scheduler); else registry.k8s.io and docker.io/karmada.',
  ],
  [
    IMAGE_PULL_SECRET,
    'Name of a Secret of type kubernetes.io/dockerconfigjson in the namespace, with the credential of the registry. It is yours: neither made nor removed.',
  ],
  [KARMADA_IMAGE_TAG, "Tag of Karmada's images: v1.18.2 or a later patch of 1.18."],
  [KUBE_IMAGE_TAG, 'Tag of kube-apiserver and kube-controller-manager: v1.33 to v1.36. Up by one minor at a time.'],
  [ETCD_IMAGE_TAG, 'Tag of etcd: 3.6.'],
  [CLUSTER_DOMAIN, "DNS domain of the host's Services. Fixed."],
  [
    MEMBER_CLUSTER_ROLE,
    'ClusterRole of the members, which must exist there, for what the control plane may do in them; else one is made that may do everything, as Karmada itself makes. Fixed.',
  ],
]

/** Options of a federation of this driver, for documentation and `GET /v1/drivers/karmada@1`. */
export const PROPERTIES: readonly PropertyDescription[] = [
  ...DESCRIPTIONS.map(([key, description]) => ({ key, description, default: defaultOf(key) })),
  ...MARK_PROPERTIES,
]

export const SERVICE_TYPES = ['LoadBalancer', 'NodePort', 'ClusterIP'] as const
type ServiceType = (typeof SERVICE_TYPES)[number]

export type KarmadaProperties = {
  namespace: string
  apiServiceType: ServiceType
  apiServiceAnnotations: Readonly<Record<string, string>>
  apiLoadBalancerClass: string | null
  /** `https://host:port`. */
  apiEndpoint: string | null
  apiPort: number
  apiNodePort: number | null
  /** DNS names and IP addresses. */
  extraSans: readonly string[]
  /** Null: the host's default. */
  storageClass: string | null
  /** A quantity: `10Gi`. */
  storageSize: string
  keepData: boolean
  replicas: 1 | 3
  /** Null: the registries of Kubernetes and Karmada. */
  imageRegistry: string | null
  imagePullSecret: string | null
  karmadaImageTag: string
  kubeImageTag: string
  etcdImageTag: string
  clusterDomain: string
  /** Null: a role of our own that may do everything. */
  memberClusterRole: string | null
}

/** The text of an option; its default when it is absent or empty. */
export const textOf = (properties: Properties, key: keyof typeof DEFAULTS): string =>
  properties[key]?.trim() || DEFAULTS[key]

/** The text of an option without a default. */
export const optionalOf = (properties: Properties, key: string): string | null => properties[key]?.trim() || null

/** Parts of a list that is separated by commas, without empty ones and doublets. */
export const listOf = (properties: Properties, key: string): string[] => [
  ...new Set(
    (properties[key] ?? '')
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
]

const annotationOf = (part: string): [string, string] => {
  const at = part.indexOf('=')
  return at < 0 ? [part, ''] : [part.slice(0, at).trim(), part.slice(at + 1).trim()]
}

const serviceTypeOf = (text: string): ServiceType => SERVICE_TYPES.find((type) => type === text) ?? 'LoadBalancer'

const portOf = (text: string | null): number | null => (text === null ? null : Number(text))

const LARGER: Readonly<Record<string, readonly [factor: number, unit: string]>> = {
  Mi: [1024, 'Gi'],
  Gi: [1024, 'Ti'],
  M: [1000, 'G'],
  G: [1000, 'T'],
}

/** As an API server writes it (1024Mi is 1Gi), so that what is read back equals what was sent. */
const canonicalSize = (text: string): string => {
  const [, digits = '', unit = ''] = /^(\d+)([A-Za-z]+)$/.exec(text) ?? []
  const [factor, larger] = LARGER[unit] ?? [0, '']
  const count = Number(digits)
  return factor > 0 && count % factor === 0 ? canonicalSize(`${count / factor}${larger}`) : text
}

/** The options with their defaults; of properties that `faultsOf` finds good. Empty text counts as absent. */
export const parseProperties = (properties: Properties): KarmadaProperties => ({
  namespace: textOf(properties, NAMESPACE),
  apiServiceType: serviceTypeOf(textOf(properties, API_SERVICE_TYPE)),
  apiServiceAnnotations: Object.fromEntries(listOf(properties, API_SERVICE_ANNOTATIONS).map(annotationOf)),
  apiLoadBalancerClass: optionalOf(properties, API_LOAD_BALANCER_CLASS),
  apiEndpoint: optionalOf(properties, API_ENDPOINT)?.replace(/\/$/, '') ?? null,
  apiPort: Number(textOf(properties, API_PORT)),
  apiNodePort: portOf(optionalOf(properties, API_NODE_PORT)),
  extraSans: listOf(properties, EXTRA_SANS),
  storageClass: optionalOf(properties, STORAGE_CLASS),
  storageSize: canonicalSize(textOf(properties, STORAGE_SIZE)),
  keepData: textOf(properties, KEEP_DATA) === 'true',
  replicas: textOf(properties, REPLICAS) === '3' ? 3 : 1,
  imageRegistry: optionalOf(properties, IMAGE_REGISTRY)?.replace(/\/$/, '') ?? null,
  imagePullSecret: optionalOf(properties, IMAGE_PULL_SECRET),
  karmadaImageTag: textOf(properties, KARMADA_IMAGE_TAG),
  kubeImageTag: textOf(properties, KUBE_IMAGE_TAG),
  etcdImageTag: textOf(properties, ETCD_IMAGE_TAG),
  clusterDomain: textOf(properties, CLUSTER_DOMAIN),
  memberClusterRole: optionalOf(properties, MEMBER_CLUSTER_ROLE),
})

/** Namespace of the host in which a federation's control plane is. */
export const namespaceOf = ({ properties }: Pick<Federation, 'properties'>): string => textOf(properties, NAMESPACE)
