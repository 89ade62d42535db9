import type { Federation } from '../../../../../core/federation/federation.ts'
import type { Properties } from '../../../../contract/federation-driver-description.ts'
import {
  API_ENDPOINT,
  API_LOAD_BALANCER_CLASS,
  API_NODE_PORT,
  API_PORT,
  API_SERVICE_ANNOTATIONS,
  API_SERVICE_TYPE,
  CLUSTER_DOMAIN,
  DEFAULTS,
  ETCD_IMAGE_TAG,
  EXTRA_SANS,
  IMAGE_PULL_SECRET,
  IMAGE_REGISTRY,
  KARMADA_IMAGE_TAG,
  KEEP_DATA,
  KUBE_IMAGE_TAG,
  MEMBER_CLUSTER_ROLE,
  NAMESPACE,
  REPLICAS,
  STORAGE_CLASS,
  STORAGE_SIZE,
} from './properties.ts'

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
