import type { Cluster, ClusterEndpoint } from '../../../../core/cluster/cluster.ts'
import { CLUSTER_LABELS, readLabels } from './schema.ts'

/** Where a simulated cluster's API server is said to be: `memory-api-address`, or a name that nobody resolves. */
export const endpointOf = ({ id, magnum }: Cluster, caPem: string | null): ClusterEndpoint => ({
  server: readLabels(CLUSTER_LABELS, magnum.labels)['memory-api-address'] ?? `https://${id}.memory.invalid:6443`,
  serverForPeers: null,
  caPem,
  tlsServerName: null,
  tlsVerify: true,
})
