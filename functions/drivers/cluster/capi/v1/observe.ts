import type { ClusterObservation, HealthStatus } from '../../../../core/cluster/cluster.ts'
import { isAppError } from '../../../../core/values/app-error.ts'
import type { ClusterContext, ClusterProbe } from '../../../contract/cluster-driver.ts'
import { lookAt } from './look.ts'
import { managementSite } from './management/site.ts'
import { readSnapshot } from './management/snapshot.ts'
import { isClusterDone } from './status/done.ts'
import { countedResult } from './status/results.ts'

/** A look that saw nothing keeps version and counts of the last one. */
const blind = (
  { cluster, now }: ClusterContext,
  healthStatus: HealthStatus,
  why: Record<string, string>,
): ClusterObservation => ({
  observedAt: now(),
  healthStatus,
  healthReason: why,
  version: cluster.observation?.version ?? null,
  nodeCount: cluster.observation?.nodeCount ?? 0,
  masterCount: cluster.observation?.masterCount ?? 0,
})

const look = async (context: ClusterContext): Promise<ClusterProbe> => {
  const site = await managementSite(context)
  const snapshot = await readSnapshot(site)
  if (snapshot.cluster === undefined) {
    const { cluster: name, namespace } = site.names
    const api = `Cluster ${namespace}/${name} is not in the management cluster ${site.where}.`
    return blind(context, 'UNHEALTHY', { api })
  }
  return {
    ...(await lookAt(context, site, snapshot)),
    nodeGroups: context.nodeGroups.flatMap((group) => countedResult(snapshot, group)),
    isComplete: context.cluster.status === 'CREATE_FAILED' && isClusterDone(snapshot),
  }
}

/** One look, at the objects in the management cluster and at the cluster's own API. UNKNOWN when the objects can't be read. */
export const observe = async (context: ClusterContext): Promise<ClusterProbe> => {
  try {
    return await look(context)
  } catch (error) {
    if (!isAppError(error)) throw error
    return blind(context, 'UNKNOWN', { management: error.message })
  }
}
