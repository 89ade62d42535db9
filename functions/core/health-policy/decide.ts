import type { Cluster } from '../cluster/cluster.ts'
import type { Federation } from '../federation/federation.ts'
import { isMember, type Membership } from '../membership/membership.ts'
import { isTooMany, paceOf } from '../selector/decide.ts'
import { NO_SELECTION, type Selection } from '../selector/selector.ts'
import { healthPolicyOf, type LeftUnhealthy } from './health-policy.ts'

/** Members that move in one transaction at most. */
const STEPS_MAX = 20
/** Milliseconds between two tries of a join that failed. */
const RETRY_MS = 600_000

/** A federation with a policy, and the clusters of all that it is about. */
export type Policed = {
  federation: Federation
  memberships: readonly Membership[]
  /** Those of members in trouble and of clusters that left, by id. */
  clusters: ReadonlyMap<string, Cluster>
  now: Date
}

/** A cluster that left, with what became of its membership. */
export type Left = { entry: LeftUnhealthy; cluster: Cluster | undefined; membership: Membership | undefined }

export type PolicyDecision = {
  /** All whose time has come, whatever the pace. */
  due: Membership[]
  leave: Membership[]
  cordon: Membership[]
  uncordon: Membership[]
  rejoin: Left[]
  /** Ids of clusters that left of which nothing is to be remembered. */
  forget: string[]
  /** Unhealthy members that are neither cordoned nor taken out; null: none are held. */
  held: { count: number; members: number } | null
  selection: Selection
}

/** True for members that nothing runs on. */
const isAtRest = (it: Membership): boolean =>
  ((it.state === 'Ready' || it.state === 'Degraded') && it.operation === null) || it.state === 'UnjoinFailed'

const healthOf = (cluster: Cluster | undefined) => cluster?.observation?.healthStatus ?? 'UNKNOWN'

/** True when it was UNHEALTHY for as long as the policy says. */
const isDue = ({ federation, now }: Policed, cluster: Cluster | undefined): boolean => {
  const { afterSeconds } = healthPolicyOf(federation)
  const { observation = null } = cluster ?? {}
  if (observation?.healthStatus !== 'UNHEALTHY') return false
  return Date.parse(observation.unhealthySince ?? observation.observedAt) + afterSeconds * 1000 <= now.getTime()
}

/** All that left, or is about to. */
export const leftOf = ({ federation, memberships, clusters }: Omit<Policed, 'now'>): Left[] =>
  (federation.leftUnhealthy ?? []).map((entry) => ({
    entry,
    cluster: clusters.get(entry.clusterId),
    membership: memberships.find(({ clusterId }) => clusterId === entry.clusterId),
  }))

/** A member again, deregistered, or not the one that left. */
const isOver = ({ entry, cluster, membership }: Left): boolean =>
  membership?.state === 'Ready' ||
  membership?.state === 'Degraded' ||
  (membership === undefined && (cluster === undefined || (cluster.identity?.uid ?? null) !== entry.uid))

const mayRejoin = ({ federation, now }: Policed, { cluster, membership }: Left): boolean => {
  if (healthPolicyOf(federation).onHealthy !== 'rejoin') return false
  if (healthOf(cluster) !== 'HEALTHY' || cluster?.observation?.isOther) return false
  if (membership === undefined) return true
  return membership.state === 'JoinFailed' && Date.parse(membership.since) + RETRY_MS <= now.getTime()
}

const candidates = (policed: Policed): Membership[] => {
  const { federation, memberships, clusters } = policed
  const { onUnhealthy } = healthPolicyOf(federation)
  const left = new Set(federation.leftUnhealthy?.map(({ clusterId }) => clusterId))
  const unhealthy = memberships.filter((it) => isAtRest(it) && healthOf(clusters.get(it.clusterId)) === 'UNHEALTHY')
  // One that could not leave is tried again; one that somebody tried to remove is theirs.
  if (onUnhealthy === 'unjoin')
    return unhealthy.filter(({ state, clusterId }) => state !== 'UnjoinFailed' || left.has(clusterId))
  return onUnhealthy === 'cordon' ? unhealthy.filter((it) => it.state !== 'UnjoinFailed' && !it.cordon) : []
}

/** Unhealthy or out: a fault of our own network takes members one after the other, so that those who went count, too. */
const countBad = ({ memberships, clusters }: Policed, left: readonly Left[]): { bad: number; members: number } => {
  const members = memberships.filter(isMember)
  const out = left.filter(({ membership }) => membership === undefined || !isMember(membership))
  const bad = members.filter(({ clusterId }) => healthOf(clusters.get(clusterId)) === 'UNHEALTHY').length
  const gone = out.filter(({ cluster }) => healthOf(cluster) !== 'HEALTHY').length
  return { bad: bad + gone, members: members.length + out.length }
}

/** How many may be taken away now, by the guards of selectors. */
const allowedNow = (policed: Policed, waiting: number, members: number) => {
  const { federation, memberships, now } = policed
  const selection = federation.selection ?? NO_SELECTION
  const { onUnhealthy } = healthPolicyOf(federation)
  const leaving = memberships.filter(({ state }) => state === 'Leaving').length
  const free = onUnhealthy === 'unjoin' ? (federation.memberSelector?.maxUnavailable ?? 1) - leaving : STEPS_MAX
  const { allowed, minute } = paceOf(selection, { members, waiting: Math.min(waiting, free, STEPS_MAX), now })
  return { allowed, selection: { ...selection, minute } }
}

/** Taints that are to go: the cluster is healthy again, or the policy is another. */
const uncordonable = ({ federation, memberships, clusters }: Policed): Membership[] =>
  memberships.filter(
    (it) =>
      it.cordon !== undefined &&
      (it.state === 'Ready' || it.state === 'Degraded') &&
      it.operation === null &&
      (healthOf(clusters.get(it.clusterId)) === 'HEALTHY' || healthPolicyOf(federation).onUnhealthy === 'keep'),
  )

/** Decides what a policy does now, by what is. Changes nothing. */
export const decidePolicy = (policed: Policed): PolicyDecision => {
  const { federation, clusters } = policed
  const left = leftOf(policed)
  const waiting = candidates(policed)
  const { bad, members } = countBad(policed, left)
  const isHeld = waiting.length > 0 && isTooMany(bad, members)
  const due = isHeld ? [] : waiting.filter(({ clusterId }) => isDue(policed, clusters.get(clusterId)))
  const { allowed, selection } = allowedNow(policed, due.length, members)
  const now = due.slice(0, allowed)
  const isUnjoin = healthPolicyOf(federation).onUnhealthy === 'unjoin'
  return {
    due,
    leave: isUnjoin ? now : [],
    cordon: isUnjoin ? [] : now,
    uncordon: uncordonable(policed),
    rejoin: left.filter((it) => !isOver(it) && mayRejoin(policed, it)).slice(0, STEPS_MAX),
    forget: left.filter(isOver).map(({ entry }) => entry.clusterId),
    held: isHeld ? { count: bad, members } : null,
    selection,
  }
}
