import { type Cluster, type ClusterObservation, federationUses } from '../../core/cluster/cluster.ts'
import { type ControlPlaneObservation, type Federation, MEMBERS_READY } from '../../core/federation/federation.ts'
import { refreshMembersReady } from '../../core/federation/settle.ts'
import { clustersOfMembers } from '../../core/grant/loans.ts'
import { warningOf } from '../../core/membership/member-context.ts'
import { clusterFault, type Fault, memberFault, planeFault } from '../../core/membership/member-fault.ts'
import type { Membership } from '../../core/membership/membership.ts'
import { memberEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import type { Ports } from '../../core/ports.ts'
import { isConditionTrue } from '../../core/values/status.ts'
import type { FederationObservation, MemberObservation } from '../../drivers/contract/federation-driver.ts'
import type { MembershipKey } from '../../store/federation.store.ts'
import type { Write } from '../../store/write.ts'
import { isConfirmed, moved, type RestingMembership, type Verdict } from './verdict.ts'

/** True for members that nothing runs on: joins, unjoins and rotations tell for themselves. */
export const isResting = (membership: Membership | undefined): membership is RestingMembership =>
  (membership?.state === 'Ready' || membership?.state === 'Degraded') && membership.operation === null

/** Why a healed member was not well, in the reason of the event. */
const HEALED: Readonly<Record<string, string>> = {
  ClusterUnhealthy: 'ClusterHealthy',
  ClusterQuarantined: 'ClusterHealthy',
}

/** A warning that comes or goes is no news, nor are other words for the same; a change of state, or of what is wrong, is. */
const eventOf = (ports: Ports, before: RestingMembership, fault: Fault | null): Write[] => {
  if (fault !== null && before.state === 'Degraded' && before.reason === fault.reason) return []
  if (fault !== null) return [memberEvent(ports, before, { action: 'update', outcome: 'failure', ...fault })]
  if (before.state === 'Ready') return []
  return [
    memberEvent(ports, before, {
      action: 'update',
      outcome: 'success',
      reason: HEALED[before.reason] ?? 'MemberReady',
      message: `${before.memberName} is healthy again.`,
    }),
  ]
}

/** Takes a verdict to a membership: Ready ↔ Degraded, with what is wrong. True when that changed something. */
const moveMember = (ports: Ports, key: MembershipKey, verdict: Verdict): Promise<boolean> =>
  retryOnConflict(async () => {
    const membership = await ports.stores.memberships.get(key)
    if (!isResting(membership)) return false
    const next = moved(membership, verdict, ports.clock.now().toISOString())
    if (next === undefined) return false
    await ports.stores.commit([
      ports.stores.memberships.replace(membership, next),
      ...eventOf(ports, membership, verdict.fault),
    ])
    return true
  })

/** Federations that a cluster is a member of. */
export const memberOf = (cluster: Cluster): { projectId: string; id: string }[] =>
  federationUses(cluster).flatMap(({ side, federation }) => (side === 'member' ? [federation] : []))

/** True when an observation says something: a first good one after bad ones, or one that was not possible, leaves members as they are. */
const isTelling = (seen: ClusterObservation): boolean =>
  seen.healthStatus === 'HEALTHY' || (seen.healthStatus === 'UNHEALTHY' && isConfirmed(seen))

/**
 * Has a cluster's memberships say what its health is: Ready ↔ Degraded. By what they say now and not by what changed: the cluster's health may be stored
 * since its last update, or since before it joined. Called before it is stored: after a crash in between, the next observation makes the same change again.
 */
export const moveMembers = async (ports: Ports, cluster: Cluster, seen: ClusterObservation): Promise<void> => {
  const { id: clusterId } = cluster
  for (const key of isTelling(seen) ? memberOf(cluster) : []) {
    const { projectId, id: federationId } = key
    const memberKey = { projectId, federationId, clusterId }
    const membership = await ports.stores.memberships.get(memberKey)
    // What the control plane says against a member that is ready is for who asks that.
    if (!isResting(membership) || (membership.state === 'Ready' && clusterFault(seen) === null)) continue
    const federation = await ports.stores.federations.get(key)
    const fault = memberFault(seen, planeFault(federation?.observation ?? null, clusterId))
    if (await moveMember(ports, memberKey, { fault })) await refreshMembersReady(ports, key)
  }
}

/**
 * Has a federation's degraded members say what the stored health of their clusters is: it may have been seen by who changed them, and healthy clusters are
 * not checked each minute. Reads nothing where all members are ready. True when that changed something.
 *
 * @param federation as it was before this run observed its control plane: two observations of that have to agree
 */
export const moveDegraded = async (ports: Ports, federation: Federation): Promise<boolean> => {
  if (isConditionTrue(federation.conditions, MEMBERS_READY)) return false
  const memberships = await ports.stores.memberships.listOf(federation)
  const degraded = memberships.filter((it) => it.state === 'Degraded' && isResting(it))
  const clusters = new Map((await clustersOfMembers(ports.stores, degraded)).map((it) => [it.id, it]))
  let isChanged = false
  for (const membership of degraded) {
    const seen = clusters.get(membership.clusterId)?.observation
    if (!seen || !isTelling(seen)) continue
    const fault = memberFault(seen, planeFault(federation.observation, membership.clusterId))
    if (await moveMember(ports, membership, { fault })) isChanged = true
  }
  await refreshMembersReady(ports, federation)
  return isChanged
}

const NOT_REGISTERED: Fault = {
  reason: 'NotRegistered',
  message: 'The control plane does not know this member. It is registered again.',
}

const against = (said: MemberObservation): Fault | null => {
  if (said.state === 'ready') return null
  return said.state === 'absent' ? NOT_REGISTERED : { reason: said.reason, message: said.message }
}

type Reported = ControlPlaneObservation['members']

/** A control plane that could be asked, and does not name a member, does not know it. */
const observationIn = ({ fault, members }: FederationObservation, clusterId: string): MemberObservation | undefined =>
  members.get(clusterId) ?? (fault === null ? { state: 'absent' } : undefined)

/** What is to be remembered of an observation: members that do not work; of those of which it said nothing, what was said before. */
export const messageOf = (
  last: ControlPlaneObservation | null,
  members: readonly RestingMembership[],
  seen: FederationObservation,
): Reported =>
  Object.fromEntries(
    members.flatMap(({ clusterId: id }): [string, Reported[string]][] => {
      const before = last?.members[id]
      const said = observationIn(seen, id)
      if (said === undefined) return before === undefined ? [] : [[id, before]]
      const fault = against(said)
      return fault === null ? [] : [[id, { ...fault, confirmed: before !== undefined }]]
    }),
  )

type Observed = {
  members: readonly RestingMembership[]
  seen: FederationObservation
  observed: ControlPlaneObservation
}

/** True when this observation says otherwise than the one before, which is then waited for to be confirmed. */
const isNews = ({ observation }: Federation, { observed }: Observed, clusterId: string): boolean =>
  (observation?.members[clusterId] === undefined) !== (observed.members[clusterId] === undefined)

/** The clusters of members in trouble, whose own health counts beside what is said of them. */
const clustersOf = async (
  ports: Ports,
  memberships: readonly Membership[],
  said: Reported,
): Promise<Map<string, Cluster>> => {
  const troubled = memberships.filter(({ state, clusterId }) => state === 'Degraded' || said[clusterId] !== undefined)
  const clusters = await clustersOfMembers(ports.stores, troubled)
  return new Map(clusters.map((cluster) => [cluster.id, cluster]))
}

const verdictOn = ({ seen, observed }: Observed, clusterId: string, cluster: Cluster | undefined): Verdict => {
  const said = observationIn(seen, clusterId)
  const fault = memberFault(cluster?.observation ?? null, planeFault(observed, clusterId))
  return { fault, ...(said?.state === 'ready' ? { warning: warningOf(said) } : {}) }
}

/** Takes what a control plane said of its members to them. True when that changed something. */
export const moveObserved = async (ports: Ports, federation: Federation, given: Observed): Promise<boolean> => {
  const reported = given.members.filter(
    ({ clusterId }) => observationIn(given.seen, clusterId) !== undefined && !isNews(federation, given, clusterId),
  )
  const clusters = await clustersOf(ports, reported, given.observed.members)
  const now = ports.clock.now().toISOString()
  const moves = await Promise.all(
    reported.map(async (membership) => {
      const verdict = verdictOn(given, membership.clusterId, clusters.get(membership.clusterId))
      return moved(membership, verdict, now) !== undefined && moveMember(ports, membership, verdict)
    }),
  )
  if (!moves.includes(true)) return false
  await refreshMembersReady(ports, federation)
  return true
}
