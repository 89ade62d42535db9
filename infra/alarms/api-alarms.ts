import { Duration } from 'aws-cdk-lib'
import { MathExpression } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { FilterPattern, type ILogGroup, MetricFilter } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import { METRIC_NAMESPACE } from '../../functions/core/values/metrics.ts'
import { gatewayMetric, sumOf } from './metrics.ts'
import { FIVE_MINUTES, RunbookAlarm, type RunbookSettings } from './runbook-alarm.ts'

/** Metric of lines at level ERROR in the authorizer's log: an identity provider, or the secret for it, could not be asked. */
const AUTHORIZER_FAULTS = 'AuthorizerFaults'

const ONE_MINUTE = Duration.minutes(1)

export type ApiAlarmsProps = {
  settings: RunbookSettings
  apiId: string
  authorizer: IFunction & { logGroup: ILogGroup }
}

const errorsAlarm = (scope: Construct, { settings, apiId }: ApiAlarmsProps): RunbookAlarm =>
  new RunbookAlarm(scope, {
    settings,
    name: 'api-errors',
    description: 'At least 5% of the requests, and five, were answered with a 5xx for ten minutes of the last fifteen.',
    metric: new MathExpression({
      // One broken request at night is for the log.
      expression: 'IF(errors >= 5, 100 * errors / requests, 0)',
      usingMetrics: { errors: gatewayMetric(apiId, '5xx', 'Sum'), requests: gatewayMetric(apiId, 'Count', 'Sum') },
      label: '5xx, % of requests',
      period: FIVE_MINUTES,
    }),
    threshold: 5,
    periods: 3,
    datapoints: 2,
    tells: false,
  })

const latencyAlarm = (scope: Construct, { settings, apiId }: ApiAlarmsProps): RunbookAlarm =>
  new RunbookAlarm(scope, {
    settings,
    name: 'api-latency',
    description: 'The slowest 1% of the requests took 5 s and more for fifteen minutes.',
    metric: new MathExpression({
      // Of fewer requests the slowest is a cold start.
      expression: 'IF(requests >= 100, slowest, 0)',
      usingMetrics: { slowest: gatewayMetric(apiId, 'Latency', 'p99'), requests: gatewayMetric(apiId, 'Count', 'Sum') },
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

/** What clients of the API feel. All of it tells through `customers-affected`. */
export const addApiAlarms = (scope: Construct, props: ApiAlarmsProps): RunbookAlarm[] => [
  errorsAlarm(scope, props),
  latencyAlarm(scope, props),
  authorizerAlarm(scope, props),
]
