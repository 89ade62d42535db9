import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import type { PublishMetrics } from '../core/ports.ts'
import { METRIC_DIMENSIONS, METRIC_NAMESPACE, type MetricName } from '../core/values/metrics.ts'

/** What is used of Powertools: a fake needs no more. */
type MetricWriter = {
  addMetric(name: string, unit: Unit, value: number): unknown
  publishStoredMetrics(): void
}
type Unit = (typeof MetricUnit)[keyof typeof MetricUnit]

const unitOf = (name: MetricName): Unit => (name.endsWith('Seconds') ? MetricUnit.Seconds : MetricUnit.Count)

/**
 * Metrics in CloudWatch's embedded format: a line on stdout, no call. Each name costs by the month in which it has values, so counters that
 * are 0 are left out, and alarms take their silence for 0.
 */
export const publishMetrics =
  (
    writer: MetricWriter = new Metrics({ namespace: METRIC_NAMESPACE, serviceName: METRIC_DIMENSIONS.service }),
  ): PublishMetrics =>
  (values) => {
    const worth = (Object.entries(values) as [MetricName, number][])
      .map(([name, value]) => ({ name, value, unit: unitOf(name) }))
      .filter(({ unit, value }) => unit !== MetricUnit.Count || value !== 0)
    if (worth.length === 0) return
    for (const { name, unit, value } of worth) writer.addMetric(name, unit, value)
    writer.publishStoredMetrics()
  }
