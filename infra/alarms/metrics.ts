import type { Duration } from 'aws-cdk-lib'
import { type IMetric, MathExpression, Metric } from 'aws-cdk-lib/aws-cloudwatch'
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, type MetricName } from '../../functions/core/values/metrics.ts'
import { FIVE_MINUTES } from './runbook-alarm.ts'

/** A metric of our own. */
export const ownMetric = (metricName: MetricName, statistic: string, period: Duration = FIVE_MINUTES): Metric =>
  new Metric({ namespace: METRIC_NAMESPACE, metricName, dimensionsMap: { ...METRIC_DIMENSIONS }, statistic, period })

/** Metric of the API's log lines `refused`: what the policy did not permit (decision 0042). */
export const REFUSALS = 'PolicyRefusals'

/** How often the policy refused something. Without an alarm: how many are usual differs by installation. */
export const refusals = (): Metric =>
  new Metric({
    namespace: METRIC_NAMESPACE,
    metricName: REFUSALS,
    statistic: 'Sum',
    period: FIVE_MINUTES,
    label: 'refused by the policy',
  })

/** A metric of an HTTP API's stage. */
export const gatewayMetric = (apiId: string, metricName: string, statistic: string): Metric =>
  new Metric({
    namespace: 'AWS/ApiGateway',
    metricName,
    dimensionsMap: { ApiId: apiId, Stage: '$default' },
    statistic,
    period: FIVE_MINUTES,
  })

/** Metrics that one alarm may be made of; each costs as an alarm of its own. */
const METRICS_MAX = 10

/** The sum of metrics; what has no value counts nothing. @throws RangeError for more metrics than CloudWatch takes */
export const sumOf = (metrics: readonly IMetric[], label: string, period: Duration = FIVE_MINUTES): MathExpression => {
  if (metrics.length > METRICS_MAX) {
    throw new RangeError(
      `An alarm can be made of ${METRICS_MAX} metrics at most, and ${label} has ${metrics.length}: split it.`,
    )
  }
  const named = metrics.map((metric, index) => [`m${index}`, metric] as const)
  return new MathExpression({
    expression: `SUM([${named.map(([name]) => name).join(', ')}])`,
    usingMetrics: Object.fromEntries(named),
    label,
    period,
  })
}
