import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { hostOf } from '../../../../../kubernetes/address-guard.ts'
import {
  AGGREGATED_API_SERVER,
  API_SERVER,
  CONTROLLER_MANAGER,
  ETCD,
  KUBE_CONTROLLER_MANAGER,
  SCHEDULER,
  SYSTEM_NAMESPACE,
  WEBHOOK,
} from '../model/names.ts'
import type { KarmadaProperties } from '../model/properties.ts'
import type { Authority, Leaf } from './pki.schema.ts'

/** Who a certificate says its holder is. */
type Identity = {
  authority: Authority
  /** CN: the name of the user, for clients of the API server. */
  commonName: string
  /** O: the groups of the user. */
  groups: readonly string[]
  usages: readonly ('server' | 'client')[]
}

/** May do everything, whatever RBAC says. */
const MASTERS = 'system:masters'

/** CN that the aggregation layer allows (`--requestheader-allowed-names`). */
export const FRONT_PROXY_CLIENT = 'front-proxy-client'

const server = (commonName: string): Identity => ({
  authority: 'karmada',
  commonName,
  groups: [],
  usages: ['server'],
})

const client = (commonName: string, groups: readonly string[] = []): Identity => ({
  authority: 'karmada',
  commonName,
  groups,
  usages: ['client'],
})

/**
 * One identity for each purpose (upstream gives all components the administrator's).
 *
 * Only two are in `system:masters`: fedplane itself, which installs APIs, webhooks and RBAC; and karmada-controller-manager, which reads and
 * writes objects of every kind that users bring, those of their own CRDs too, and grants what it does not hold itself. All others have the
 * roles of `rights.ts`; kube-controller-manager has those that Kubernetes makes for its name.
 */
export const IDENTITIES: Readonly<Record<Leaf, Identity>> = {
  apiserver: server(API_SERVER),
  'aggregated-apiserver-server': server(AGGREGATED_API_SERVER),
  'webhook-server': server(WEBHOOK),
  // Both: etcd's members are each other's clients.
  'etcd-server': { authority: 'etcd', commonName: 'karmada-etcd-server', groups: [], usages: ['server', 'client'] },
  'etcd-client': { authority: 'etcd', commonName: 'karmada-etcd-client', groups: [], usages: ['client'] },
  'front-proxy-client': {
    authority: 'front-proxy',
    commonName: FRONT_PROXY_CLIENT,
    groups: [],
    usages: ['client'],
  },
  admin: client('fedplane:admin', [MASTERS]),
  [CONTROLLER_MANAGER]: client(`system:${CONTROLLER_MANAGER}`, [MASTERS]),
  [KUBE_CONTROLLER_MANAGER]: client(`system:${KUBE_CONTROLLER_MANAGER}`),
  [AGGREGATED_API_SERVER]: client(`system:${AGGREGATED_API_SERVER}`),
  [SCHEDULER]: client(`system:${SCHEDULER}`),
  [WEBHOOK]: client(`system:${WEBHOOK}`),
}

/** Most members of etcd that a certificate is for, so that growing needs no new one. */
const ETCD_MEMBERS_MAX = 3

/** What the names in certificates depend on. */
export type Naming = Pick<KarmadaProperties, 'namespace' | 'clusterDomain' | 'extraSans'> & {
  /** `https://host:port`: as the API server is advertised. */
  endpoint: string
  /** Hosts under which it was found before, or is beside it. */
  hosts: readonly string[]
}

const serviceNames = (service: string, { namespace, clusterDomain }: Naming): string[] => [
  service,
  `${service}.${namespace}`,
  `${service}.${namespace}.svc`,
  `${service}.${namespace}.svc.${clusterDomain}`,
]

/** Without zone, which an older release let in; IPv4 addresses as such, since who checks an address does not know them as IPv6 (`::ffff:a.b.c.d`). */
const asInCertificate = (name: string): string => {
  const text = name.toLowerCase().replace(/%.*$/, '')
  return isIPv6(text) ? ipaddr.process(text).toString() : text
}

const LOCAL = ['localhost', '127.0.0.1', '::1']

/**
 * DNS names and IP addresses of each server (federation-control-planes.md 1.3, list A, each server only its own; no empty ones, no address that is
 * guessed). Clients' certificates have none.
 */
export const serverNames = (naming: Naming): Partial<Record<Leaf, string[]>> => ({
  apiserver: [
    ...new Set([
      ...LOCAL,
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      ...serviceNames(API_SERVER, naming),
      ...[hostOf(new URL(naming.endpoint)), ...naming.hosts, ...naming.extraSans].map(asInCertificate),
    ]),
  ],
  'aggregated-apiserver-server': [
    ...LOCAL,
    ...serviceNames(AGGREGATED_API_SERVER, naming),
    // What the aggregation layer checks: the name of the Service inside of the control plane.
    `${AGGREGATED_API_SERVER}.${SYSTEM_NAMESPACE}.svc`,
  ],
  'webhook-server': [...LOCAL, ...serviceNames(WEBHOOK, naming)],
  'etcd-server': [
    ...LOCAL,
    ...Array.from({ length: ETCD_MEMBERS_MAX }, (_, index) => [
      `${ETCD}-${index}.${ETCD}.${naming.namespace}.svc`,
      `${ETCD}-${index}.${ETCD}.${naming.namespace}.svc.${naming.clusterDomain}`,
    ]).flat(),
  ],
})
