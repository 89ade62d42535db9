/** Namespace of our metrics in CloudWatch. */
export const METRIC_NAMESPACE = 'fedplane'

/** Dimension that Powertools gives each metric, and its value. */
export const METRIC_DIMENSIONS = { service: 'fedplane' } as const

/**
 * Metrics of our own, of which alarms are made: what AWS's metrics can't know. A name that ends in `Seconds` is a duration with a value in each
 * run; all others count, and have no value where there is nothing to count.
 */
export const METRIC_NAMES = [
  /** How far the operation that is past its deadline most was past it when the reconciler found it. */
  'OverdueSeconds',
  /** How long the worker (reconciler, health sweep, renewals) has not reported that has not for the longest time. */
  'SilentSeconds',
  /** Operations whose undo died too often: what they made may be left behind. */
  'OperationsGivenUp',
  /** Clusters and control planes that a health sweep could not check because of a fault of ours. */
  'SweepFaults',
  /** How long a run of the health sweep took, of each part. */
  'SweepSeconds',
  /** How long the look has been due that a run put off and that waits longest; 0 when none was. */
  'SweepStaleSeconds',
  /** Events of the table that could not be read, and were passed over. */
  'EventsUnreadable',
  /** How long a run of the canary that went well took. */
  'CanarySeconds',
] as const
export type MetricName = (typeof METRIC_NAMES)[number]
