import type { PropertyDescription } from '../../../../contract/federation-driver-description.ts'
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
export const PROPERTIES: readonly PropertyDescription[] = DESCRIPTIONS.map(([key, description]) => ({
  key,
  description,
  default: defaultOf(key),
}))
