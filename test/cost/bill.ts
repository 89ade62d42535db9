import { WORKER_SECONDS, WORKERS } from '../../functions/core/values/workers.ts'
import { type Count, type Counts, combine, nothing, type Scenario } from './counts.ts'
import { PRICES } from './prices.ts'

/** What is assumed where nothing can be measured on one machine. */
export const ASSUMED = {
  /** Lambda gives 512 MB a third of a core: what was measured takes so many times as long there. */
  slower: 3,
  memoryGb: 0.5,
  /** Of the authorizer, most often from its cache. */
  authorizerMs: 20,
  /** Lines of a call, and of the gateway. */
  logBytes: 1_000,
  /** Of a month of 30 days. */
  monthSeconds: 30 * 86_400,
  /** A control plane of Karmada comes up within so many seconds after its parts were made, and goes within so many. */
  karmadaSeconds: { createKarmada: 90, joinKarmada: 5, unjoinKarmada: 15, deleteKarmada: 30 },
  /** A step looks for so long, then its state machine waits for so long. */
  pollSeconds: 10,
  waitSeconds: 5,
} as const

const functionSeconds = (ms: number): number => (ms / 1_000) * ASSUMED.memoryGb * PRICES.lambdaGbSecond.usd

/** Dollars for what was counted, by service. */
export const billOf = (count: Count): Readonly<Record<'api' | 'functions' | 'flows' | 'table' | 'rest', number>> => {
  const { requests, invocations } = count
  const calls = 2 * requests + invocations
  const measuredMs = (count.requestMs + count.invocationMs) * ASSUMED.slower
  return {
    api: requests * PRICES.httpRequest.usd,
    functions: calls * PRICES.lambdaRequest.usd + functionSeconds(measuredMs + requests * ASSUMED.authorizerMs),
    flows: count.transitions * PRICES.transition.usd,
    table: count.readUnits * PRICES.readUnit.usd + count.writeUnits * PRICES.writeUnit.usd,
    rest:
      count.kmsCalls * PRICES.kmsCall.usd +
      count.events * (PRICES.event.usd + PRICES.lambdaRequest.usd) +
      ((calls + requests) * ASSUMED.logBytes * PRICES.logGb.usd) / 1e9,
  }
}

export const dollars = (count: Count): number => Object.values(billOf(count)).reduce((sum, part) => sum + part, 0)

/** Another look in-process and another wait: what `seconds` of waiting for a cluster add to a flow. */
export const waiting = (seconds: number): Count => {
  const turns = Math.round(seconds / (ASSUMED.pollSeconds + ASSUMED.waitSeconds))
  const pollMs = (ASSUMED.pollSeconds * 1_000) / ASSUMED.slower
  return combine({ ...nothing(), invocations: 1, invocationMs: pollMs, transitions: 3, readUnits: 4 }, turns)
}

/** What was measured; with the waits for real pods, for a driver whose clusters were simulated ones. */
export const countOf = (counts: Counts, scenario: Scenario): Count => {
  const seconds = (ASSUMED.karmadaSeconds as Partial<Record<Scenario, number>>)[scenario] ?? 0
  return combine(waiting(seconds), 1, counts.scenarios[scenario])
}

/** What each installation has of things that cost by the month. A test compares with the templates. */
export const FIXED = { keys: 2, alarmMetrics: 63, composites: 1, dashboards: 1, ownMetrics: 4, secrets: 1 } as const

const RUN_OF = {
  reconciler: 'reconcile',
  renewals: 'renew',
  'health-sweep': 'sweep',
  'trigger-deliveries': 'deliver',
  // Idle it asks 16 partitions of an index and reports, as that one does.
  selectors: 'deliver',
} as const

/** A month in which nothing happens, without clusters. */
export const idleMonth = (counts: Counts): readonly [what: string, usd: number][] => [
  ...WORKERS.map((worker): [string, number] => [
    `${worker}, each ${WORKER_SECONDS[worker]} s`,
    dollars(counts.scenarios[RUN_OF[worker]]) * (ASSUMED.monthSeconds / WORKER_SECONDS[worker]),
  ]),
  [
    'traces of these three, each run one (`tracing`)',
    WORKERS.reduce((runs, worker) => runs + ASSUMED.monthSeconds / WORKER_SECONDS[worker], 0) * PRICES.trace.usd,
  ],
  [`${FIXED.keys} KMS keys`, FIXED.keys * PRICES.kmsKeyMonth.usd],
  [`alarms (${FIXED.alarmMetrics} metrics)`, FIXED.alarmMetrics * PRICES.alarmMetricMonth.usd],
  ['`customers-affected`', FIXED.composites * PRICES.compositeMonth.usd],
  ['dashboard', FIXED.dashboards * PRICES.dashboardMonth.usd],
  [`${FIXED.ownMetrics} metrics of our own`, FIXED.ownMetrics * PRICES.metricMonth.usd],
  ['secret with the service credential for Keystone', FIXED.secrets * PRICES.secretMonth.usd],
]

/** A month of 1,000 healthy clusters, besides the idle cost. */
export const thousandClusters = (counts: Counts): readonly [what: string, usd: number][] => {
  const looks = 1_000 * (ASSUMED.monthSeconds / 300)
  const gigabytes = (1_000 * counts.clusterBytes) / 1e9
  const { functions, table, rest } = billOf(counts.scenarios.look)
  return [
    ['looks of the health sweep: functions', functions * looks],
    ['looks of the health sweep: reads', table * looks],
    ['looks of the health sweep: keys and logs', rest * looks],
    ['storage with point-in-time recovery', gigabytes * (PRICES.storageGbMonth.usd + PRICES.recoveryGbMonth.usd)],
  ]
}

/** A run of the canary: two clusters, a federation with one member, lists, and all of it deleted; it looks every two seconds. */
export const canaryRun = (counts: Counts): Count => {
  const of = (scenario: Scenario, times: number, more?: Count): Count =>
    combine(counts.scenarios[scenario], times, more)
  return of(
    'register',
    2,
    of('forget', 2, of('create', 1, of('join', 1, of('unjoin', 1, of('delete', 1, of('list', 4, of('show', 20))))))),
  )
}
