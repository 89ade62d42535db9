import { kubeconfigKey } from '../../core/access/credentials.ts'
import type { ManagementClients } from '../../core/access/management-access.ts'
import { findMoved } from '../../core/access/open-cluster.ts'
import type { Cluster, ClusterObservation } from '../../core/cluster/cluster.ts'
import { clusterContext, storedGroups } from '../../core/cluster/cluster-context.ts'
import type { NodeGroup } from '../../core/cluster/node-group.ts'
import type { Ports } from '../../core/ports.ts'
import { type AppError, isAppError } from '../../core/values/app-error.ts'
import type { ClusterProbe, NodeGroupResult } from '../../drivers/contract/cluster-driver.ts'
import { connectUntil } from '../../kubernetes/connect-until.ts'

/** What a sweep works with. */
export type Sweep = { ports: Ports; clients: ManagementClients }

/** One observation of a cluster. */
export type Probe = {
  /** As it was checked: its endpoint may be another than it was. */
  cluster: Cluster
  seen: ClusterObservation
  /** As they were stored before the observation. */
  groups: readonly NodeGroup[]
  /** What there is of them by now. */
  reported: readonly NodeGroupResult[]
  /** A create that failed has come up after all. */
  isComplete: boolean
}

/**
 * What an observation says that was not possible. What a cluster is made through is not the cluster: nothing is known of that when it is out of
 * reach.
 */
const unseen = ({ ports }: Sweep, { observation }: Cluster, error: AppError): ClusterProbe => ({
  observedAt: ports.clock.now().toISOString(),
  healthStatus: 'UNKNOWN',
  healthReason: { management: error.message },
  version: observation?.version ?? null,
  nodeCount: observation?.nodeCount ?? 0,
  masterCount: observation?.masterCount ?? 0,
})

/** How long an observation may begin calls of a cluster, milliseconds: its API server is its owner's, and may answer as slowly and as much as it likes. */
const PROBE_TIMEOUT_MS = 30_000

const observe = async (sweep: Sweep, cluster: Cluster, nodeGroups: readonly NodeGroup[]): Promise<ClusterProbe> => {
  const { ports, clients } = sweep
  const inTime = { ...ports, connect: connectUntil(ports.connect, performance.now() + PROBE_TIMEOUT_MS) }
  await ports.stores.integrity.requireCluster(cluster)
  const context = clusterContext(inTime, cluster, {
    nodeGroups,
    task: null,
    undoing: false,
    credential: () => ports.stores.credentials.get(kubeconfigKey(cluster)),
    // An observation claims nothing: the identity was claimed at registration.
    claimIdentity: () => Promise.resolve(),
    clients,
  })
  try {
    return await ports.drivers.cluster.resolve(cluster.driver).observe(context)
  } catch (error) {
    if (!cluster.madeThrough || !isAppError(error)) throw error
    return unseen(sweep, cluster, error)
  }
}

const probe = async (sweep: Sweep, cluster: Cluster): Promise<Probe> => {
  const groups = await storedGroups(sweep.ports, cluster)
  const { nodeGroups: reported = [], isComplete = false, ...seen } = await observe(sweep, cluster, groups)
  return { cluster, seen, groups, reported, isComplete }
}

/**
 * Looks where the cluster is stored to be; when its API is not well there, also where its driver says that it is by now. What became of
 * that is reported beside the fault.
 */
export const probeCluster = async (sweep: Sweep, cluster: Cluster): Promise<Probe> => {
  const first = await probe(sweep, cluster)
  const { seen } = first
  const { api = 'ok' } = seen.healthReason
  if (seen.healthStatus !== 'UNHEALTHY' || api === 'ok') return first
  try {
    const found = await findMoved(sweep.ports, cluster)
    if (found === undefined) return first
    found.client.close()
    return await probe(sweep, found.cluster)
  } catch (error) {
    if (!isAppError(error)) throw error
    const reported = api.includes(error.message) ? api : `${api} ${error.message}`
    return { ...first, seen: { ...seen, healthReason: { ...seen.healthReason, api: reported } } }
  }
}
