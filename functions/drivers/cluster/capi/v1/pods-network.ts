import type { ClusterValues } from './labels.ts'

/** Pods' network when no label says one, as both Magnum drivers have it. */
const PODS_CIDR = '10.100.0.0/16'

/** Network of the pods of a new cluster. Each CNI has a label of its own for it; that of the other one counts when it has none. */
export const podsCidr = (
  { calico_ipv4pool: calico, cilium_ipv4pool: cilium }: ClusterValues,
  networkDriver: string,
): string => (networkDriver === 'cilium' ? (cilium ?? calico) : (calico ?? cilium)) ?? PODS_CIDR
