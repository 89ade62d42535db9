import { API_SERVICES, remoteApis } from '../aggregation.ts'
import type { Cluster } from '../cluster.ts'
import { conditionsOf, patchStored, withCondition } from './patch-stored.ts'

/** Tells of each API server behind this one whether it can be used. */
export const apiServiceController = (cluster: Cluster): void => {
  for (const object of remoteApis(cluster)) {
    const seen = cluster.behaviour.aggregated(object)
    const condition =
      'types' in seen
        ? { type: 'Available', status: 'True' as const, reason: 'Passed', message: 'all checks passed' }
        : { type: 'Available', status: 'False' as const, ...seen }
    const conditions = withCondition(conditionsOf(object), condition, cluster.timestamp())
    patchStored(cluster, API_SERVICES, object, { status: { conditions } })
  }
}
