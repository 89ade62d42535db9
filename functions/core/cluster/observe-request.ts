/** A cluster that is to be observed at once, and how far that is. One for each cluster that somebody ever asked for. */
export type ObserveRequest = {
  projectId: string
  clusterId: string
  /** Since when somebody waits for an observation that has not begun; null: nobody does. ISO-8601, as all times here. */
  askedAt: string | null
  /** When the observation that goes on began; null when none does. */
  begunAt: string | null
  /** After that it counts as killed; null when none goes on. */
  leaseUntil: string | null
  /** When the last one ended; null before the first. */
  endedAt: string | null
  /** Until then it is observed each minute, since what an event tells of takes its time; absent: not. */
  watchUntil?: string
  /** When that is due next; absent when none is. */
  againAt?: string
  /** Until when requests have used up what the cluster may have. */
  spentUntil: string
  revision: number
}

export type ObserveKey = Pick<ObserveRequest, 'projectId' | 'clusterId'>

/** A URL that has a cluster observed when something is posted to it. */
export type Hook = ObserveKey & {
  /** UUIDv7. */
  id: string
  userId: string
  name: string
  /** SHA-256 of the token in its URL, hexadecimal. The token itself is stored nowhere. */
  digest: string
  createdAt: string
}

/** What a hook's URL leads to. */
export type HookTarget = Pick<Hook, 'projectId' | 'clusterId' | 'id'>

/** Observations that one cluster may have on request: so many at once, and then one in so many milliseconds. */
const BURST = 6
const INTERVAL_MS = 5_000
/** How long an observation on request may take before another one begins, milliseconds: two probes of 30 s, and what follows from them. */
const LEASE_MS = 90_000

const iso = (milliseconds: number): string => new Date(milliseconds).toISOString()

/** What becomes of a request: `next` is to be stored; nothing when it is waited for already, or when there have been too many. */
export type Asked = { next: ObserveRequest } | { waits: ObserveRequest } | { retryAfterSeconds: number }

const unheard = (key: ObserveKey): ObserveRequest => ({
  ...key,
  askedAt: null,
  begunAt: null,
  leaseUntil: null,
  endedAt: null,
  spentUntil: iso(0),
  revision: 0,
})

/** Asks for an observation: one that waits already is the answer to any number of requests. */
export const asked = (read: ObserveRequest | undefined, { projectId, clusterId }: ObserveKey, now: Date): Asked => {
  const before = read ?? unheard({ projectId, clusterId })
  if (before.askedAt !== null) return { waits: before }
  const time = now.getTime()
  const spent = Math.max(time, Date.parse(before.spentUntil))
  const ahead = spent - time - (BURST - 1) * INTERVAL_MS
  if (ahead > 0) return { retryAfterSeconds: Math.ceil(ahead / 1000) }
  const spentUntil = iso(spent + INTERVAL_MS)
  return { next: { ...before, askedAt: iso(time), spentUntil, revision: before.revision + 1 } }
}

/** How long a cluster is watched after an event of the cloud, milliseconds: EKS takes some ten minutes to delete or to upgrade one. */
const WATCH_MS = 20 * 60_000
/** Between observations of one that is watched, milliseconds. */
const WATCH_PAUSE_MS = 60_000

/** Asks for an observation, and for more of them for a while. Undefined when that is so already. */
export const watched = (read: ObserveRequest | undefined, key: ObserveKey, now: Date): ObserveRequest | undefined => {
  const result = asked(read, key, now)
  const before = 'next' in result ? result.next : read
  if (
    before === undefined ||
    (before === read && (read.watchUntil ?? '') >= iso(now.getTime() + WATCH_MS - WATCH_PAUSE_MS))
  ) {
    return undefined
  }
  const next = { ...before, watchUntil: iso(now.getTime() + WATCH_MS), revision: (read?.revision ?? 0) + 1 }
  // One that may not begin yet is made up for by the next of the watch.
  return dueAt(next) === null ? { ...next, againAt: iso(now.getTime() + WATCH_PAUSE_MS) } : next
}

/** From when on it is somebody's to begin; null when nothing is to be done. */
export const dueAt = ({
  askedAt,
  leaseUntil,
  againAt,
}: Pick<ObserveRequest, 'askedAt' | 'leaseUntil' | 'againAt'>): string | null =>
  leaseUntil ?? askedAt ?? againAt ?? null

/** Begins an observation; undefined when one goes on, or nobody waits for one. */
export const begun = (read: ObserveRequest, now: Date): ObserveRequest | undefined => {
  const due = dueAt(read)
  if (due === null || due > now.toISOString()) return undefined
  const leaseUntil = iso(now.getTime() + LEASE_MS)
  const { againAt: _, ...rest } = read
  return { ...rest, askedAt: null, begunAt: now.toISOString(), leaseUntil, revision: read.revision + 1 }
}

/** Ends the observation that was begun. Who asked meanwhile waits for the next one. */
export const ended = (read: ObserveRequest, now: Date): ObserveRequest => {
  const { watchUntil, againAt: _, ...rest } = read
  const again = iso(now.getTime() + WATCH_PAUSE_MS)
  return {
    ...rest,
    ...(watchUntil !== undefined && again <= watchUntil ? { watchUntil, againAt: again } : {}),
    begunAt: null,
    leaseUntil: null,
    endedAt: now.toISOString(),
    revision: read.revision + 1,
  }
}
