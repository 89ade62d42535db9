import type { ManagementField } from '../../../../contract/cluster-driver-description.ts'
import type { ClusterValues } from './labels.ts'

/** Who makes the machines: OpenStack through CAPO, or nobody (Cluster API's in-memory development provider). */
export const INFRASTRUCTURES = ['openstack', 'dev'] as const
export type Infrastructure = (typeof INFRASTRUCTURES)[number]

/** As a management cluster's registration says it; undefined when it says nothing that this version knows. */
export const infrastructureOf = (options: Readonly<Record<string, string>>): Infrastructure | undefined =>
  INFRASTRUCTURES.find((name) => name === options.infrastructure)

/** Registration field with the most nodes of one cluster, and what counts without it: Kubernetes itself is made for 5,000. */
export const NODES_MAX_FIELD = 'max_nodes_per_cluster'
export const NODES_MAX_DEFAULT = 1000

/** What is said of a management cluster when it is registered (attribute `management`). */
export const MANAGEMENT_FIELDS = [
  {
    name: 'infrastructure',
    required: true,
    pattern: new RegExp(`^(${INFRASTRUCTURES.join('|')})$`),
    rule: 'must say who makes the machines: "openstack" (CAPO), or "dev" for Cluster API\'s in-memory development provider',
    confidential: false,
  },
  {
    name: 'namespace_prefix',
    required: false,
    pattern: /^[a-z](?:[-a-z0-9]{0,18}[a-z0-9])?$/,
    rule: 'must be what the names of namespaces begin with: at most 20 lower-case letters, digits and "-", a letter first; default "fedplane"',
    confidential: false,
  },
  {
    name: 'addons_namespace',
    required: false,
    pattern: /^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/,
    rule: 'must be the namespace with the Secrets of addons, for example "fedplane-addons"',
    confidential: false,
  },
  {
    name: NODES_MAX_FIELD,
    required: false,
    pattern: /^[1-9]\d{0,4}$/,
    rule: `must be how many nodes one cluster may have at most, masters among them, as text from "1" to "99999"; default "${NODES_MAX_DEFAULT}"`,
    confidential: false,
    isChangeable: true,
  },
] as const satisfies readonly ManagementField[]

/** First and last address of a network, as numbers. */
type Range = { first: number; last: number }

/** Bits of the mask. */
export const prefixLength = (cidr: string): number => Number(cidr.split('/')[1])

const addressOf = (cidr: string): number =>
  (cidr.split('/')[0] ?? '').split('.').reduce((number, octet) => number * 256 + Number(octet), 0)

/** @param cidr an IPv4 network that was validated */
const rangeOf = (cidr: string): Range => {
  const size = 2 ** (32 - prefixLength(cidr))
  const first = Math.floor(addressOf(cidr) / size) * size
  return { first, last: first + size - 1 }
}

/** True for a network itself; false for an address in one, such as 10.0.0.5/24, which Neutron refuses. */
export const isNetworkAddress = (cidr: string): boolean => rangeOf(cidr).first === addressOf(cidr)

/** True when some address is in both. */
export const overlaps = (one: string, other: string): boolean => {
  const [a, b] = [rangeOf(one), rangeOf(other)]
  return a.first <= b.last && b.first <= a.last
}

/** Pods' network when no label says one, as both Magnum drivers have it. */
const PODS_CIDR = '10.100.0.0/16'

/** Network of the pods of a new cluster. Each CNI has a label of its own for it; that of the other one counts when it has none. */
export const podsCidr = (
  { calico_ipv4pool: calico, cilium_ipv4pool: cilium }: ClusterValues,
  networkDriver: string,
): string => (networkDriver === 'cilium' ? (cilium ?? calico) : (calico ?? cilium)) ?? PODS_CIDR
