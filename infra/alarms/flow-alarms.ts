import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions'
import type { Construct } from 'constructs'
import { sumOf } from './metrics.ts'
import { FIVE_MINUTES, RunbookAlarm, type RunbookSettings } from './runbook-alarm.ts'

/** What Step Functions limits by account and Region: transitions, and the calls that we make. */
const THROTTLED: readonly Record<string, string>[] = [
  { ServiceMetric: 'StateTransition' },
  ...['StartExecution', 'StopExecution', 'DescribeExecution'].map((APIName) => ({ APIName })),
]

const throttled = (dimensionsMap: Record<string, string>): Metric =>
  new Metric({
    namespace: 'AWS/States',
    metricName: 'ThrottledEvents',
    dimensionsMap,
    statistic: 'Sum',
    period: FIVE_MINUTES,
  })

export type FlowAlarmsProps = { settings: RunbookSettings; machines: readonly IStateMachine[] }

/** Executions that did not succeed. One that fails is an operation's failure, which its entity tells; many are ours. */
export const addFlowAlarms = (scope: Construct, { settings, machines }: FlowAlarmsProps): RunbookAlarm[] => {
  const options = { statistic: 'Sum', period: FIVE_MINUTES }
  return [
    new RunbookAlarm(scope, {
      settings,
      name: 'flow-failed',
      description: 'Ten and more operations failed within five minutes.',
      metric: sumOf(
        machines.map((machine) => machine.metricFailed(options)),
        'failed executions',
      ),
      threshold: 10,
    }),
    new RunbookAlarm(scope, {
      settings,
      name: 'flow-timed-out',
      description: 'An execution ran into the time limit of its state machine: even the reconciler had lost it.',
      metric: sumOf(
        machines.map((machine) => machine.metricTimedOut(options)),
        'timed out executions',
      ),
      threshold: 1,
    }),
    new RunbookAlarm(scope, {
      settings,
      name: 'flow-throttled',
      description:
        'Step Functions throttled this account in ten minutes of the last fifteen: flows begin and go on late.',
      metric: sumOf(THROTTLED.map(throttled), 'throttled calls and transitions'),
      threshold: 10,
      periods: 3,
      datapoints: 2,
    }),
  ]
}
