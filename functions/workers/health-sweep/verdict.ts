import { isDeepStrictEqual } from 'node:util'
import type { Cluster, ClusterObservation, HealthStatus } from '../../core/cluster/cluster.ts'

/** Healthy clusters are looked at once in so many minutes, each in its own minute. */
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

/** What the reasons of a look say by themselves: `ok` and `True` everywhere is healthy. */
const reasonsLookHealthy = ({ healthReason }: ClusterObservation): boolean =>
  Object.entries(healthReason).every(([key, value]) => value === (key === 'api' ? 'ok' : 'True'))

/** True when the last look agreed with the health that is shown: otherwise a change waits to be confirmed. */
export const isConfirmed = (stored: ClusterObservation): boolean =>
  reasonsLookHealthy(stored) === (stored.healthStatus === 'HEALTHY')

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
 * The health to show after a look. Two looks in a row must agree before it changes, in either direction, so that one lost packet
 * degrades no member. The look before this one is remembered by its reasons, which are stored at once.
 */
export const healthAfter = (stored: ClusterObservation | null, look: ClusterObservation): HealthStatus => {
  if (stored === null || stored.healthStatus === 'UNKNOWN' || stored.healthStatus === look.healthStatus)
    return look.healthStatus
  const second = reasonsLookHealthy(stored) === (look.healthStatus === 'HEALTHY')
  return second ? look.healthStatus : stored.healthStatus
}

/** True when storing the look would change something besides its time. */
export const differs = (stored: ClusterObservation | null, look: ClusterObservation): boolean =>
  stored === null || !isDeepStrictEqual({ ...stored, observedAt: '' }, { ...look, observedAt: '' })
