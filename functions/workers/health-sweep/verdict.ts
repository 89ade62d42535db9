import { isDeepStrictEqual } from 'node:util'
import type { Cluster, ClusterObservation, HealthStatus } from '../../core/cluster/cluster.ts'
import type { Fault } from '../../core/membership/member-fault.ts'
import {
  type DegradedMembership,
  type MemberWarning,
  REPAIR_REFUSED,
  type ReadyMembership,
} from '../../core/membership/membership.ts'

/** Healthy clusters are checked once in so many minutes, each in its own minute. */
const SPREAD_MINUTES = 5

/** Minutes of the epoch. */
export const minuteOf = (now: Date): number => Math.floor(now.getTime() / 60_000)

/** True in the one minute of five that is the entity's own. */
export const isMinuteOf = (id: string, now: Date): boolean =>
  hash(id) % SPREAD_MINUTES === minuteOf(now) % SPREAD_MINUTES

const hash = (text: string): number =>
  [...text].reduce(
    (value, character) => Math.imul(value ^ (character.codePointAt(0) ?? 0), 0x01000193) >>> 0,
    0x811c9dc5,
  )

/** What the reasons of an observation say by themselves: `ok` and `True` everywhere is healthy. */
const areReasonsHealthy = ({ healthReason }: ClusterObservation): boolean =>
  Object.entries(healthReason).every(([key, value]) => value === (key === 'api' ? 'ok' : 'True'))

/** True when the last observation agreed with the health that is shown: otherwise a change waits to be confirmed. */
export const isConfirmed = (stored: ClusterObservation): boolean =>
  areReasonsHealthy(stored) === (stored.healthStatus === 'HEALTHY')

/** True for a cluster that was not made in time and may come up after all: what makes it goes on. */
export const mayComeUp = ({ status, madeThrough }: Cluster): boolean =>
  status === 'CREATE_FAILED' && madeThrough !== undefined && madeThrough !== null

/** True when a cluster is registered and rests, so that its health says something; and when it may come up after all. */
export const isWatched = (cluster: Cluster): boolean =>
  mayComeUp(cluster) ||
  (cluster.endpoint !== null &&
    cluster.identity !== null &&
    !/^(CREATE|DELETE)_(IN_PROGRESS|FAILED)$/.test(cluster.status))

/** Healthy clusters each fifth minute, all others each minute; likewise those that make others, whose outage concerns every project. */
export const isDue = (cluster: Cluster, now: Date): boolean => {
  const { observation } = cluster
  if (mayComeUp(cluster) || cluster.management) return true
  if (observation === null || observation.healthStatus !== 'HEALTHY' || !isConfirmed(observation)) return true
  return isMinuteOf(cluster.id, now)
}

/**
 * The health to show after an observation. Two observations in a row must agree before it changes, in either direction, so that one lost packet
 * degrades no member. The observation before this one is remembered by its reasons, which are stored at once.
 */
export const healthAfter = (stored: ClusterObservation | null, observed: ClusterObservation): HealthStatus => {
  if (stored === null || stored.healthStatus === 'UNKNOWN' || stored.healthStatus === observed.healthStatus)
    return observed.healthStatus
  // Another uid is no lost packet.
  if (observed.isOther) return observed.healthStatus
  const second = areReasonsHealthy(stored) === (observed.healthStatus === 'HEALTHY')
  return second ? observed.healthStatus : stored.healthStatus
}

/** True when storing the observation would change something besides its time. */
export const differs = (stored: ClusterObservation | null, observed: ClusterObservation): boolean =>
  stored === null || !isDeepStrictEqual({ ...stored, observedAt: '' }, { ...observed, observedAt: '' })

/** A member that the sweep may move: nothing joins it or takes it out. */
export type RestingMembership = ReadyMembership | DegradedMembership

/** What a membership says of itself besides its state; both undefined when nothing. */
const wordsOf = ({ reason, message }: RestingMembership): Partial<Fault> =>
  reason === undefined ? {} : { reason, message: message ?? '' }

/** A repair that was refused goes with its words. */
const withoutWords = ({ reason: _, message: __, repair: ___, ...rest }: RestingMembership) => rest

export type Verdict = {
  fault: Fault | null
  /** What works in part only; undefined keeps the warning that is there. */
  warning?: MemberWarning | null
}

/** The membership as the verdict has it; undefined when it says that already. */
export const moved = (
  membership: RestingMembership,
  { fault, warning }: Verdict,
  now: string,
): RestingMembership | undefined => {
  // What a refused repair says is over with a repair that is not.
  if (fault === null && membership.state === 'Degraded' && membership.reason === REPAIR_REFUSED) return undefined
  const state = fault === null ? 'Ready' : 'Degraded'
  const kept = membership.state === 'Ready' ? wordsOf(membership) : {}
  const words = fault ?? (warning === undefined ? kept : (warning ?? {}))
  if (membership.state === state && isDeepStrictEqual(wordsOf(membership), words)) return undefined
  const since = membership.state === state ? membership.since : now
  return { ...withoutWords(membership), state, since, ...words } as RestingMembership
}
