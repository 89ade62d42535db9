import { ASSUMED, billOf, canaryRun, countOf, dollars, idleMonth, thousandClusters } from './bill.ts'
import { type Count, type Counts, SCENARIOS, type Scenario } from './counts.ts'
import { PRICES, PRICES_OF } from './prices.ts'

/** Three digits that count, without an exponent. */
const usd = (value: number): string => {
  if (value === 0) return '0'
  const digits = Math.max(2, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(digits, 9))
}
const units = (value: number): string => (Number.isInteger(value) ? String(value) : value.toFixed(1))

type Column = { title: string; right?: boolean }

const table = (columns: readonly Column[], rows: readonly (readonly string[])[]): string =>
  [
    `| ${columns.map(({ title }) => title).join(' | ')} |`,
    `|${columns.map(({ right }) => (right ? '---:' : '---')).join('|')}|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n')

const text = (title: string): Column => ({ title })
const number = (title: string): Column => ({ title, right: true })

const PER: Readonly<Record<string, number>> = { million: 1e6, '10,000': 1e4 }

const priceTable = (): string =>
  table(
    [text('what'), number('USD'), text('per')],
    Object.values(PRICES).map(({ what, usd: price, per }) => {
      const [first = ''] = per.split(' ')
      return [what, String(Number((price * (PER[first] ?? 1)).toPrecision(6))), per]
    }),
  )

const countCells = (count: Count): string[] => [
  units(count.requests),
  units(count.invocations),
  units(Math.round(count.requestMs + count.invocationMs)),
  units(count.transitions),
  units(count.readUnits),
  units(count.writeUnits),
  units(count.kmsCalls),
  units(count.events),
]

const countTable = (counts: Counts): string =>
  table(
    [
      text('what'),
      ...['requests', 'calls', 'ms', 'transitions', 'read units', 'write units', 'KMS', 'bus'].map(number),
    ],
    Object.entries(SCENARIOS).map(([scenario, what]) => [what, ...countCells(counts.scenarios[scenario as Scenario])]),
  )

const actionTable = (counts: Counts): string =>
  table(
    [text('what'), ...['gateway', 'functions', 'flows', 'table', 'keys, bus, logs', 'together'].map(number)],
    Object.entries(SCENARIOS).map(([scenario, what]) => {
      const count = countOf(counts, scenario as Scenario)
      const bill = billOf(count)
      const cells = [bill.api, bill.functions, bill.flows, bill.table, bill.rest, dollars(count)]
      return [what, ...cells.map((one) => usd(1_000 * one))]
    }),
  )

const monthTable = (rows: readonly (readonly [string, number])[]): string =>
  table(
    [text('what'), number('USD a month')],
    [...rows, ['**together**', rows.reduce((sum, [, value]) => sum + value, 0)] as const].map(([what, value]) => [
      what,
      usd(value),
    ]),
  )

const total = (rows: readonly (readonly [string, number])[]): number => rows.reduce((sum, [, value]) => sum + value, 0)

const exampleRows = (counts: Counts): [string, number][] => {
  const many = (scenario: Scenario, times: number): number => times * dollars(countOf(counts, scenario))
  return [
    ['idle', total(idleMonth(counts))],
    ['1,000 clusters', total(thousandClusters(counts))],
    ['20 federations a month created and deleted (`karmada@1`)', many('createKarmada', 20) + many('deleteKarmada', 20)],
    ['2,000 joins and as many unjoins', many('joinKarmada', 2_000) + many('unjoinKarmada', 2_000)],
    ['a list of 20 clusters each second', many('list', ASSUMED.monthSeconds)],
  ]
}

/** docs/cost.md. Everything in it comes from the counts, the prices and what is assumed. */
export const reportOf = (counts: Counts): string => `# What an installation costs

Written by \`npm run cost\`, which runs each of these in one process over simulated clusters. It counts what leaves it at the SDK's clients and the ports, and multiplies with list prices.
Not in it are free tiers, traffic, a support plan, and what the clusters themselves cost. NAT gateways are not in it either: $0.045 an hour and GB each, only with \`vpcId\`.

## In short

- **Idle: $${usd(total(idleMonth(counts)))} a month.** Nothing in it grows with customers; no server runs.
- **1,000 healthy clusters: $${usd(total(thousandClusters(counts)))} a month** more, for checking each of them every five minutes.
- **A join: $${usd(dollars(countOf(counts, 'join')))}** (\`clusterprofile@1\`), $${usd(dollars(countOf(counts, 'joinKarmada')))} (\`karmada@1\`).
- **A federation: $${usd(dollars(countOf(counts, 'create')))}** (\`clusterprofile@1\`), $${usd(dollars(countOf(counts, 'createKarmada')))} (\`karmada@1\`).

## By action: USD for 1,000 of each

${actionTable(counts)}

\`karmada@1\` was measured over simulated pods, which are there at once. Its rows have ${Object.values(ASSUMED.karmadaSeconds).join(', ')} s of waiting added (create, join, unjoin, delete). Of that, each ${ASSUMED.pollSeconds + ASSUMED.waitSeconds} s are three
transitions and ${ASSUMED.pollSeconds} s of a function. Federations with members cost what they and their joins cost.

## Idle, by the month

${monthTable(idleMonth(counts))}

Traces of requests and flows are in no other row. X-Ray takes the first of each second and one in twenty of the others.
That is at most $13 a month, and $0.25 for each million above. With \`tracing: false\` there are none.

Without Keystone there is no secret. The canary is off by default. At a run each 30 minutes it costs $${usd(dollars(canaryRun(counts)) * (ASSUMED.monthSeconds / 1_800))} a month, its secret and alarm included nowhere above ($0.80 with its metric).

## 1,000 clusters, by the month

${monthTable(thousandClusters(counts))}

Healthy clusters are checked every five minutes, others each minute: one that is down costs five times as much. An observation that finds nothing new writes nothing. Large numbers go on like this; what a run of the sweep can do is
bounded by its 50 s: see \`sweepParts\` in [settings](settings.md).

## An example: a month of 1,000 clusters with some life

${monthTable(exampleRows(counts))}

## What was counted

${countTable(counts)}

Measured ${counts.measuredAt.slice(0, 10)}. *Calls* are those of flows and workers. Each *request* is a call of the authorizer and one of the API besides. The *ms* are those of API, flows and workers on the machine that measured.
Every function had an empty cache of data keys, as after five minutes without a call. A registered cluster has ${counts.clusterBytes} bytes.

Assumed: a function of ${ASSUMED.memoryGb * 1024} MB takes ${ASSUMED.slower} times as long on Lambda; ${ASSUMED.authorizerMs} ms for the authorizer; ${ASSUMED.logBytes} bytes of logs for each call; a month has 30 days; calls of AWS's services to the storage key are few, since they keep its data keys for minutes; each event is a call of the forwarder (most often several share one).

## Prices

On-demand list prices of ${PRICES_OF.region} as of ${PRICES_OF.date}.

${priceTable()}
`
