import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import type { IQueue } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import { ownMetric, sumOf } from './metrics.ts'
import { FIVE_MINUTES, RunbookAlarm, type RunbookAlarmProps, type RunbookSettings } from './runbook-alarm.ts'

export type WorkerAlarmsProps = {
  settings: RunbookSettings
  /** All functions that run by the clock, or behind the stream. */
  workers: readonly IFunction[]
  /** Puts events on the bus. */
  forwarder: IFunction
  /** Where what could not be put there is noted, and where the bus puts what it could not take. */
  undelivered: readonly IQueue[]
}

type Planned = Omit<RunbookAlarmProps, 'settings'>

/** Alarms by metrics that the reconciler and the health sweep write. */
const OWN: readonly Planned[] = [
  {
    name: 'operations-stuck',
    description: 'An operation is five minutes and more past its deadline, and the reconciler does not get it ended.',
    metric: ownMetric('OverdueSeconds', 'Maximum'),
    threshold: 300,
  },
  {
    name: 'operations-given-up',
    description: 'Undo of an operation died three times: its entity says FAILED, and what was made may be left behind.',
    metric: ownMetric('OperationsGivenUp', 'Sum'),
    threshold: 1,
  },
  {
    name: 'workers-stale',
    description: 'Reconciler, health sweep or renewals have not ended a run for five minutes and more.',
    metric: ownMetric('SilentSeconds', 'Maximum'),
    threshold: 300,
    periods: 2,
    // It is the reconciler that writes it.
    silenceIsBad: true,
  },
  {
    name: 'sweep-faults',
    description: 'For fifteen minutes there were clusters or control planes that the health sweep failed to check.',
    metric: ownMetric('SweepFaults', 'Sum'),
    threshold: 1,
    periods: 3,
  },
  {
    name: 'sweep-slow',
    description: 'Runs of the health sweep take 100 s and more, and are ended at 120 s.',
    metric: ownMetric('SweepSeconds', 'Maximum'),
    threshold: 100,
    periods: 3,
  },
  {
    name: 'sweep-late',
    description: 'Looks at clusters are put off for five minutes and more: health is seen late.',
    metric: ownMetric('SweepStaleSeconds', 'Maximum'),
    threshold: 300,
    periods: 3,
  },
]

/** Alarms by AWS's own metrics. */
const ofAws = ({ workers, forwarder, undelivered }: WorkerAlarmsProps): Planned[] => [
  {
    name: 'worker-errors',
    description: 'Runs of the reconciler, health sweep, renewals or forwarder of events end with errors.',
    metric: sumOf(
      workers.map((worker) => worker.metricErrors({ statistic: 'Sum', period: FIVE_MINUTES })),
      'errors of workers',
    ),
    threshold: 3,
  },
  {
    name: 'events-undelivered',
    description: 'Events were given up: not put on the bus for 23 hours, not taken by it, or not to be read.',
    metric: sumOf(
      [
        ...undelivered.map((queue) =>
          queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: FIVE_MINUTES }),
        ),
        ownMetric('EventsUnreadable', 'Sum'),
      ],
      'events given up',
    ),
    threshold: 1,
  },
  {
    name: 'events-delayed',
    description: 'Events reach the bus ten minutes and more after they happened.',
    metric: forwarder.metric('IteratorAge', { statistic: 'Maximum', period: FIVE_MINUTES }),
    threshold: 600_000,
    periods: 2,
  },
  {
    name: 'functions-throttled',
    description: 'Lambda refused calls in this account and Region in ten minutes of the last fifteen.',
    // Of all functions of the account: they share one limit, so it is ours that others use up.
    metric: new Metric({
      namespace: 'AWS/Lambda',
      metricName: 'Throttles',
      statistic: 'Sum',
      period: FIVE_MINUTES,
    }),
    threshold: 1,
    periods: 3,
    datapoints: 2,
  },
]

/** What goes on beside requests: workers, the outbox, and the limit that all functions share. */
export const addWorkerAlarms = (scope: Construct, props: WorkerAlarmsProps): RunbookAlarm[] =>
  [...OWN, ...ofAws(props)].map((planned) => new RunbookAlarm(scope, { ...planned, settings: props.settings }))
