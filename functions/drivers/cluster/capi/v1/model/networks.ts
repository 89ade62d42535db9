import type { ClusterValues } from './labels.ts'

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
