/**
 * Workers that run by the clock, and how often, seconds. Schedules on AWS and on one machine are made from it, and so is what
 * `GET /v1/mservices` says of them.
 */
export const WORKER_SECONDS = {
  reconciler: 60,
  'health-sweep': 60,
  renewals: 60,
  'trigger-deliveries': 60,
  selectors: 60,
} as const
export type Worker = keyof typeof WORKER_SECONDS
export const WORKERS = Object.keys(WORKER_SECONDS) as Worker[]

/** A part of the health sweep: the clusters and federations whose ids are its. */
export type SweepPart = { index: number; of: number }
export const WHOLE_SWEEP: SweepPart = { index: 0, of: 1 }
/** Parts at most: as many as the index over all clusters has partitions. */
export const SWEEP_PARTS_MAX = 16

/** Runs that a worker may miss before it counts as down; at one a minute that is Magnum's `service_down_time` of 180 s. */
const MISSED_MAX = 3

type Reported = { host: string; createdAt: string; updatedAt: string }

/**
 * Seconds since the report of the worker that has been silent for the longest time. One that never reported is silent since the first report
 * of any; 0 before that.
 */
export const longestSilenceSeconds = (reports: readonly Reported[], now: Date): number => {
  const first = reports.map(({ createdAt }) => createdAt).sort()[0]
  if (first === undefined) return 0
  const last = WORKERS.map((worker) => reports.find(({ host }) => host === worker)?.updatedAt ?? first)
  return Math.max(...last.map((time) => Math.floor((now.getTime() - Date.parse(time)) / 1000)))
}

const isWorker = (host: string): host is Worker => Object.hasOwn(WORKER_SECONDS, host)

/** True when a worker reported not longer ago than it may. A host that is no worker of this version is down. */
export const isUp = ({ host, updatedAt }: { host: string; updatedAt: string }, now: Date): boolean =>
  isWorker(host) && now.getTime() - Date.parse(updatedAt) <= MISSED_MAX * WORKER_SECONDS[host] * 1000

/** Seconds of a run of the canary, and those after a failure in which what it made is removed. Its function has a little more. */
export const CANARY_SECONDS = { walk: 300, afterwards: 120 } as const

/**
 * Drivers that the canary uses: they need nothing of a cluster but its API, and are those of customers. `memory@1` needs no clusters, but
 * would have to be enabled for everybody, and would prove little.
 */
export const CANARY_DRIVERS = { cluster: 'external@1', federation: 'clusterprofile@1' } as const
