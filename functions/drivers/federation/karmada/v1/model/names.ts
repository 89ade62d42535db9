import * as z from 'zod'
import type { Federation } from '../../../../../core/federation/federation.ts'
import { isReservedNamespace } from '../../../../../core/values/kubernetes.ts'

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

/** What the driver notes about a federation in `driverState`; nothing of it is secret. */
export const KarmadaState = z.object({
  /** Address of the API server as clients and members use it: `https://host:port`. Known once the Service has one. */
  endpoint: z.url().optional(),
  /**
   * Hosts of kubeconfigs that may be out, and those of the Service itself, newest last: they stay in the certificate when `api-endpoint` moves the
   * address.
   */
  hosts: z.array(z.string()).optional(),
  /** True when the host gives its Services IPv6 addresses. */
  isIpv6: z.boolean().optional(),
})
export type KarmadaState = z.infer<typeof KarmadaState>

/** The notes of a federation. */
export const stateOf = ({ driverState }: Pick<Federation, 'driverState'>): KarmadaState =>
  KarmadaState.parse(driverState)

/** How what Karmada brought into a member is found there: a whole sentence. */
export const FIND_WORKLOADS = '`kubectl get <kinds> -A -l karmada.io/managed=true` there finds what Karmada brought.'

/** Objects there have credentials of members, or what Karmada writes into them, Secrets too. */
export const reservedNamespaceFault = (namespace: string): string | undefined =>
  isReservedNamespace(namespace)
    ? `Namespace ${namespace} is the control plane's own, with credentials in it, and no kubeconfig is for it. Name a namespace of your own.`
    : undefined
