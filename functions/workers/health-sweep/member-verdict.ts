import { isDeepStrictEqual } from 'node:util'
import type { ClusterObservation } from '../../core/cluster/cluster.ts'
import { describeUnhealthy } from '../../core/cluster/health.ts'
import type { ControlPlaneObservation } from '../../core/federation/federation.ts'
import type { DegradedMembership, MemberWarning, ReadyMembership } from '../../core/membership/membership.ts'

export type Fault = { reason: string; message: string }
/** A member that the sweep may move: nothing joins it or takes it out. */
export type RestingMembership = ReadyMembership | DegradedMembership

/** Reason of a Degraded membership whose cluster is unhealthy by our own look. */
const CLUSTER_UNHEALTHY = 'ClusterUnhealthy'

/** What a cluster's own health says against it. */
const clusterFault = (seen: ClusterObservation | null): Fault | null =>
  seen?.healthStatus === 'UNHEALTHY'
    ? { reason: CLUSTER_UNHEALTHY, message: describeUnhealthy(seen.healthReason) }
    : null

/** What the control plane says against a member, when two looks agreed on that. */
export const planeFault = (look: ControlPlaneObservation | null, clusterId: string): Fault | null => {
  const said = look?.members[clusterId]
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

/** What a membership says of itself besides its state; both undefined when nothing. */
const wordsOf = ({ reason, message }: RestingMembership): Partial<Fault> =>
  reason === undefined ? {} : { reason, message: message ?? '' }

const withoutWords = ({ reason: _, message: __, ...rest }: RestingMembership) => rest

export type Verdict = {
  fault: Fault | null
  /** What works in part only; undefined keeps the remark that is there. */
  remark?: MemberWarning | null
}

/** The membership as the verdict has it; undefined when it says that already. */
export const moved = (
  membership: RestingMembership,
  { fault, remark }: Verdict,
  now: string,
): RestingMembership | undefined => {
  const state = fault === null ? 'Ready' : 'Degraded'
  const kept = membership.state === 'Ready' ? wordsOf(membership) : {}
  const words = fault ?? (remark === undefined ? kept : (remark ?? {}))
  if (membership.state === state && isDeepStrictEqual(wordsOf(membership), words)) return undefined
  const since = membership.state === state ? membership.since : now
  return { ...withoutWords(membership), state, since, ...words } as RestingMembership
}
