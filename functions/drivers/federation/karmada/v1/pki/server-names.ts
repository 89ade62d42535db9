import { isIPv6 } from 'node:net'
import ipaddr from 'ipaddr.js'
import { hostOf } from '../../../../../kubernetes/address-guard.ts'
import { AGGREGATED_API_SERVER, API_SERVER, ETCD, SYSTEM_NAMESPACE, WEBHOOK } from '../names.ts'
import type { KarmadaProperties } from '../schema.ts'
import type { Leaf } from './pki.schema.ts'

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
