import { Duration } from 'aws-cdk-lib'
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { METRIC_NAMESPACE } from '../../functions/core/values/metrics.ts'
import { gatewayMetric, REFUSALS, sumOf } from './metrics.ts'
import { FIVE_MINUTES, RunbookAlarm, type RunbookSettings } from './runbook-alarm.ts'

/** Metric of lines at level ERROR in the authorizer's log: an identity provider, or the secret for it, could not be asked. */
const AUTHORIZER_FAULTS = 'AuthorizerFaults'

const ONE_MINUTE = Duration.minutes(1)

export type ApiAlarmsProps = {
  settings: RunbookSettings
  /** Of the API, and of the one for signed requests where it is there. */
  apiIds: readonly string[]
  authorizer: Logging
  /** Those that ask the policy. */
  functions: readonly Logging[]
}

type Logging = IFunction & { logGroup: ILogGroup }

/** A metric of all APIs: the sum, and of a percentile the largest. */
const together = (apiIds: readonly string[], name: string, statistic: 'Sum' | 'p99'): IMetric => {
  const metrics = apiIds.map((id) => gatewayMetric(id, name, statistic))
  const [only, ...more] = metrics
  if (only !== undefined && more.length === 0) return only
  const named = metrics.map(
    (metric, index) => [`${name === '5xx' ? 'e' : name.toLowerCase()}${index}`, metric] as const,
  )
  return new MathExpression({
    expression: `${statistic === 'Sum' ? 'SUM' : 'MAX'}([${named.map(([id]) => `FILL(${id}, 0)`).join(', ')}])`,
    usingMetrics: Object.fromEntries(named),
    label: name,
    period: FIVE_MINUTES,
  })
}

const errorsAlarm = (scope: Construct, { settings, apiIds }: ApiAlarmsProps): RunbookAlarm =>
  new RunbookAlarm(scope, {
    settings,
    name: 'api-errors',
    description: 'At least 5% of the requests, and five, were answered with a 5xx for ten minutes of the last fifteen.',
    metric: new MathExpression({
      // One broken request at night is for the log.
      expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
      usingMetrics: { errors: together(apiIds, '5xx', 'Sum'), requests: together(apiIds, 'Count', 'Sum') },
      label: '5xx, % of requests',
      period: FIVE_MINUTES,
    }),
    threshold: 5,
    periods: 3,
    datapoints: 2,
    tells: false,
  })

const latencyAlarm = (scope: Construct, { settings, apiIds }: ApiAlarmsProps): RunbookAlarm =>
  new RunbookAlarm(scope, {
    settings,
    name: 'api-latency',
    description: 'The slowest 1% of the requests took 5 s and more for fifteen minutes.',
    metric: new MathExpression({
      // Of fewer requests the slowest is a cold start.
      expression: 'IF(requests >= 100, slowest, 0)',
      usingMetrics: { slowest: together(apiIds, 'Latency', 'p99'), requests: together(apiIds, 'Count', 'Sum') },
      label: 'p99, ms',
      period: FIVE_MINUTES,
    }),
    threshold: 5_000,
    periods: 3,
    tells: false,
  })

const authorizerAlarm = (scope: Construct, { settings, authorizer }: ApiAlarmsProps): RunbookAlarm => {
  const faults = new MetricFilter(scope, 'authorizer-faults', {
    logGroup: authorizer.logGroup,
    filterPattern: FilterPattern.stringValue('$.level', '=', 'ERROR'),
    metricNamespace: METRIC_NAMESPACE,
    metricName: AUTHORIZER_FAULTS,
  })
  return new RunbookAlarm(scope, {
    settings,
    name: 'authorizer-errors',
    description: 'Callers could not be identified in three minutes of the last five: they are answered 503 or 500.',
    metric: sumOf(
      [
        faults.metric({ statistic: 'Sum', period: ONE_MINUTE }),
        authorizer.metricErrors({ statistic: 'Sum', period: ONE_MINUTE }),
      ],
      'authorizer errors',
      ONE_MINUTE,
    ),
    threshold: 1,
    periods: 5,
    datapoints: 3,
    tells: false,
  })
}

const countRefusals = (scope: Construct, { functions }: ApiAlarmsProps): void => {
  for (const [index, { logGroup }] of functions.entries()) {
    new MetricFilter(scope, `refusals-${index}`, {
      logGroup,
      filterPattern: FilterPattern.stringValue('$.message', '=', 'refused'),
      metricNamespace: METRIC_NAMESPACE,
      metricName: REFUSALS,
    })
  }
}

/** What clients of the API feel. All of it tells through `customers-affected`. Refusals are counted only. */
export const addApiAlarms = (scope: Construct, props: ApiAlarmsProps): RunbookAlarm[] => {
  countRefusals(scope, props)
  return [errorsAlarm(scope, props), latencyAlarm(scope, props), authorizerAlarm(scope, props)]
}
