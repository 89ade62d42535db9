import type { ClusterTaskKind } from '../cluster/cluster-task.ts'
import type { Flow } from './operation.ts'

/** Seconds of a change that waits for machines, or for each node in turn. */
const MACHINES_SECONDS = 3600

/** Seconds that a change of a cluster may take, from when its turn has come. */
export const TASK_DEADLINE_SECONDS: Readonly<Record<ClusterTaskKind, number>> = {
  credential: 600,
  resize: MACHINES_SECONDS,
  'node-group-create': MACHINES_SECONDS,
  'node-group-update': MACHINES_SECONDS,
  'node-group-delete': MACHINES_SECONDS,
  upgrade: MACHINES_SECONDS,
  'rotate-authority': MACHINES_SECONDS,
  'rotate-credential': 600,
}

/** Seconds that an operation may take before the reconciler ends it. Generous: retries and undo must fit in. */
export const DEADLINE_SECONDS: Readonly<Record<Flow, number>> = {
  'cluster-create': 3600,
  'cluster-update': Math.max(...Object.values(TASK_DEADLINE_SECONDS)),
  'cluster-delete': 3600,
  'federation-create': 1800,
  // It may replace every part of a control plane, one after the other.
  'federation-update': 1800,
  'federation-delete': 1800,
  'member-join': 300,
  'member-unjoin': 300,
  'credential-rotate': 300,
  'federation-rotate': 1800,
}

/** A `create_timeout` beyond a week counts as one: executions have an end (`EXECUTION_SECONDS`). */
const CREATE_SECONDS_MAX = 7 * 24 * 3600

/** Seconds that a create may take, by `create_timeout` in minutes (magnum-rest.md 4.1); 0 and null: as long as any. */
export const createDeadlineSeconds = (createTimeoutMinutes: number | null): number =>
  createTimeoutMinutes === null || createTimeoutMinutes === 0
    ? DEADLINE_SECONDS['cluster-create']
    : Math.min(createTimeoutMinutes * 60, CREATE_SECONDS_MAX)

/** Seconds that a created host has beyond its own deadline: for the reconciler to see it, and for the end of its undo. */
const HOST_MARGIN_SECONDS = 900

/** Seconds that a host cluster which is created with its federation may take, by its `create_timeout` in minutes. */
export const hostDeadlineSeconds = (createTimeoutMinutes: number | null): number =>
  createDeadlineSeconds(createTimeoutMinutes) + HOST_MARGIN_SECONDS

/** Seconds after which the platform ends an execution that even the reconciler has lost. */
export const EXECUTION_SECONDS: Readonly<Record<Flow, number>> = {
  ...(Object.fromEntries(Object.entries(DEADLINE_SECONDS).map(([flow, seconds]) => [flow, 2 * seconds])) as Record<
    Flow,
    number
  >),
  'cluster-create': 2 * CREATE_SECONDS_MAX,
  // It may wait for its host to be created.
  'federation-create': 2 * CREATE_SECONDS_MAX + 2 * DEADLINE_SECONDS['federation-create'],
}

/** Membership changes that one request may carry: two writes each, in one transaction of at most 100. */
export const MEMBERSHIP_CHANGES_MAX = 45

/** The same of a request that also creates the host cluster, which takes up to 14 writes. */
export const MEMBERS_BESIDE_HOST_MAX = 40

/** Seconds between two renewals at least, whatever a cluster says of the life of what it gave. */
const FLOOR_SECONDS = 300

/** Seconds after which a failed renewal is tried again: doubled with each failure in a row, up to an hour. */
const AGAIN_SECONDS = 600
const AGAIN_SECONDS_MAX = 3600

const after = (now: Date, seconds: number): string => new Date(now.getTime() + seconds * 1000).toISOString()

/** When to renew what was just renewed: as wanted, but not at once. Null for never. */
export const renewalAfterSuccess = (wanted: string | null, now: Date): string | null => {
  const soonest = after(now, FLOOR_SECONDS)
  return wanted !== null && wanted < soonest ? soonest : wanted
}

/** When to try again after so many failures in a row. */
export const renewalAfterFailures = (failures: number, now: Date): string =>
  after(now, Math.min(AGAIN_SECONDS * 2 ** (failures - 1), AGAIN_SECONDS_MAX))
