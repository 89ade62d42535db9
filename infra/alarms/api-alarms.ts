import { Duration } from 'aws-cdk-lib'
import { AlarmRule, AlarmState, CompositeAlarm, type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { METRIC_NAMESPACE } from '../../functions/core/values/metrics.ts'
import { gatewayMetric, REFUSALS, sumOf } from './metrics.ts'
import {
  alarmName,
  describeAlarm,
  FIVE_MINUTES,
  notifyTopic,
  RunbookAlarm,
  type RunbookSettings,
} from './runbook-alarm.ts'

/** Metric of lines at level ERROR in the authorizer's log: an identity provider, or the secret for it, could not be asked. */
const AUTHORIZER_FAULTS = 'AuthorizerFaults'

/** Metric of requests that were answered 429, by the gateway or by us. */
const LIMITED_REQUESTS = 'LimitedRequests'

const ONE_MINUTE = Duration.minutes(1)

export type ApiAlarmsProps = {
  settings: RunbookSettings
  /** Of the API, and of the one for signed requests where it is there. */
  apiIds: readonly string[]
  /** A line for each request of these. */
  accessLogs: readonly ILogGroup[]
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
    (metric, index) => [`${name.toLowerCase().replace(/^(\d)xx$/, 'x$1')}${index}`, metric] as const,
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

const refusedAlarm = (scope: Construct, { settings, apiIds }: ApiAlarmsProps): RunbookAlarm =>
  new RunbookAlarm(scope, {
    settings,
    name: 'api-refused',
    description: 'Four of five requests were refused with a 4xx for fifteen minutes, and two hundred in each five.',
    metric: new MathExpression({
      expression: 'IF(refused >= 200, 100 * refused / requests, 0)',
      usingMetrics: { refused: together(apiIds, '4xx', 'Sum'), requests: together(apiIds, 'Count', 'Sum') },
      label: '4xx, % of requests',
      period: FIVE_MINUTES,
    }),
    threshold: 80,
    periods: 3,
  })

const limitedAlarm = (scope: Construct, { settings, accessLogs }: ApiAlarmsProps): RunbookAlarm => {
  const filters = accessLogs.map(
    (logGroup, index) =>
      new MetricFilter(scope, `limited-requests-${index}`, {
        logGroup,
        filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
        metricNamespace: METRIC_NAMESPACE,
        metricName: LIMITED_REQUESTS,
      }),
  )
  const [filter] = filters
  if (filter === undefined) throw new RangeError('An API has an access log.')
  return new RunbookAlarm(scope, {
    settings,
    name: 'api-limited',
    description: 'A hundred requests and more were answered 429 in each five of fifteen minutes.',
    metric: filter.metric({ statistic: 'Sum', period: FIVE_MINUTES }),
    threshold: 100,
    periods: 3,
  })
}

/** Short name of the alarm that is made of others. */
export const CUSTOMERS_AFFECTED = 'customers-affected'

/**
 * One mail for all that customers feel of the API, since one fault rings several of its alarms; the mail names them. In the stack of those it is made of:
 * CloudWatch deletes no alarm that another names, so that a release that drops one has to change this one before.
 */
const addComposite = (scope: Construct, settings: RunbookSettings, parts: readonly RunbookAlarm[]): void => {
  const composite = new CompositeAlarm(scope, `${CUSTOMERS_AFFECTED}-alarm`, {
    compositeAlarmName: alarmName(CUSTOMERS_AFFECTED),
    alarmDescription: describeAlarm(
      settings,
      'Customers feel that something is wrong with the API: one of the alarms that this one is made of rings.',
      CUSTOMERS_AFFECTED,
    ),
    alarmRule: AlarmRule.anyOf(...parts.map((part) => AlarmRule.fromAlarm(part, AlarmState.ALARM))),
  })
  notifyTopic(composite)
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

/** What clients of the API feel, which tells through `customers-affected`, and what they are refused. */
export const addApiAlarms = (scope: Construct, props: ApiAlarmsProps): RunbookAlarm[] => {
  const felt = [errorsAlarm(scope, props), latencyAlarm(scope, props), authorizerAlarm(scope, props)]
  addComposite(scope, props.settings, felt)
  countRefusals(scope, props)
  return [...felt, refusedAlarm(scope, props), limitedAlarm(scope, props)]
}
