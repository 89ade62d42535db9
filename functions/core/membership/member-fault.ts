import type { ClusterObservation } from '../cluster/cluster.ts'
import { describeUnhealthy } from '../cluster/observed-health.ts'
import type { ControlPlaneObservation } from '../federation/federation.ts'

export type Fault = { reason: string; message: string }

/** Reasons of a Degraded membership whose cluster is unhealthy by our own look; the second where another cluster answers in its place. */
const CLUSTER_UNHEALTHY = 'ClusterUnhealthy'
const CLUSTER_QUARANTINED = 'ClusterQuarantined'

/** What a cluster's own health says against it. */
export const clusterFault = (seen: ClusterObservation | null): Fault | null =>
  seen?.healthStatus === 'UNHEALTHY'
    ? {
        reason: seen.isOther ? CLUSTER_QUARANTINED : CLUSTER_UNHEALTHY,
        message: describeUnhealthy(seen.healthReason),
      }
    : null

/** What the control plane says against a member, when two observations agreed on that. */
export const planeFault = (observed: ControlPlaneObservation | null, clusterId: string): Fault | null => {
  const said = observed?.members[clusterId]
  return said?.confirmed ? { reason: said.reason, message: said.message } : null
}

/**
 * The most telling of what two lookers say against a member. A cluster whose API we can't reach ourselves tells why the control plane does not
 * either; otherwise the control plane knows more.
 */
export const memberFault = (cluster: ClusterObservation | null, plane: Fault | null): Fault | null => {
  const own = clusterFault(cluster)
  const apiIsDown = cluster !== null && cluster.healthReason.api !== 'ok'
  return own !== null && (plane === null || apiIsDown) ? own : plane
}
