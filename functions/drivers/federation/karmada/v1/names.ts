/** Release of Karmada that this driver sets up; CRDs, images and facts are its. */
export const KARMADA_VERSION = '1.18.2'

/** The asset with its CRDs: a JSON list, gzipped (`npm run assets`). Their conversion webhooks are not in it. */
export const CRDS_ASSET = `karmada-crds-${KARMADA_VERSION}.json.gz`

/** Namespace in the host by the specification, unless `properties.namespace` says otherwise. */
export const DEFAULT_NAMESPACE = 'federation-system'

/** Namespace inside of the control plane: leases of its controllers and the Service of the aggregated API server. */
export const SYSTEM_NAMESPACE = 'karmada-system'

/** Namespace inside of the control plane in which the Secrets of members are, and for Karmada's own objects in a member. */
export const MEMBERS_NAMESPACE = 'karmada-cluster'

/** Workloads and Services of the host, by what they run (federation-control-planes.md 1.5, 1.6). */
export const ETCD = 'etcd'
export const API_SERVER = 'karmada-apiserver'
export const AGGREGATED_API_SERVER = 'karmada-aggregated-apiserver'
export const KUBE_CONTROLLER_MANAGER = 'kube-controller-manager'
export const SCHEDULER = 'karmada-scheduler'
export const CONTROLLER_MANAGER = 'karmada-controller-manager'
export const WEBHOOK = 'karmada-webhook'

/** Port of the API server in its pods. */
export const API_SERVER_PORT = 5443
/** Port of the aggregated API server in its pods: above 1024, since it needs no privilege there (design section 5). */
export const AGGREGATED_API_SERVER_PORT = 8443

/** Components with a kubeconfig Secret, `<component>-config`, and an identity of their own. */
export const COMPONENTS = [
  AGGREGATED_API_SERVER,
  KUBE_CONTROLLER_MANAGER,
  SCHEDULER,
  CONTROLLER_MANAGER,
  WEBHOOK,
] as const
export type Component = (typeof COMPONENTS)[number]

/** API group of `Cluster`, which the aggregated API server serves. */
export const CLUSTER_GROUP = 'cluster.karmada.io'
