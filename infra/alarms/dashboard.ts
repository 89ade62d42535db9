import { Duration } from 'aws-cdk-lib'
import {
  Alarm,
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IMetric,
  MathExpression,
  SingleValueWidget,
  TextWidget,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import { gatewayMetric, ownMetric, refusals } from './metrics.ts'
import { alarmName, FIVE_MINUTES, type RunbookSettings } from './runbook-alarm.ts'

/** Its name in CloudWatch. */
const DASHBOARD = 'fedplane'

const HALF = 12
const WHOLE = 24

/**
 * All metrics of a schema that are ours: their names begin with `fedplane`. A search instead of references, so that a function can be renamed
 * or removed without the stack of the dashboard in its way.
 */
const found = (schema: string, property: string, metricName: string, statistic: string): IMetric =>
  new MathExpression({
    expression: `SEARCH('{${schema}} ${property}=fedplane MetricName="${metricName}"', '${statistic}', ${FIVE_MINUTES.toSeconds()})`,
    usingMetrics: {},
    label: '',
    period: FIVE_MINUTES,
  })

const graph = (title: string, left: IMetric[], right: IMetric[] = []): GraphWidget =>
  new GraphWidget({ title, left, right, width: HALF, height: 6, leftYAxis: { min: 0 } })

const ofFunctions = (metricName: string, statistic: string): IMetric =>
  found('AWS/Lambda,FunctionName', 'FunctionName', metricName, statistic)

const ofMachines = (metricName: string, statistic: string): IMetric =>
  found('AWS/States,StateMachineArn', 'StateMachineArn', metricName, statistic)

const ofTable = (metricName: string): IMetric => found('AWS/DynamoDB,TableName', 'TableName', metricName, 'Sum')

export type DashboardProps = {
  settings: RunbookSettings
  /** Short names of all alarms. */
  alarms: readonly string[]
  apiId: string
}

const apiGraphs = (apiId: string): GraphWidget[] => [
  graph(
    'Requests',
    [
      ['Count', 'requests'],
      ['4xx', '4xx'],
      ['5xx', '5xx'],
    ].map(([name = '', label = '']) => gatewayMetric(apiId, name, 'Sum').with({ label })),
    [refusals()],
  ),
  graph(
    'Latency, ms',
    ['p50', 'p99'].map((statistic) => gatewayMetric(apiId, 'Latency', statistic).with({ label: statistic })),
  ),
]

/** What one checks first. */
export const addDashboard = (scope: Construct, { settings, alarms, apiId }: DashboardProps): Dashboard =>
  new Dashboard(scope, 'dashboard', {
    dashboardName: DASHBOARD,
    defaultInterval: Duration.hours(3),
    widgets: [
      [
        new TextWidget({
          markdown: `Articles to the alarms: ${settings.runbookUrl ?? 'docs/runbook'}`,
          width: WHOLE,
          height: 1,
        }),
      ],
      [
        new AlarmStatusWidget({
          title: 'Alarms',
          alarms: alarms.map((name) => Alarm.fromAlarmName(scope, `${name}-status`, alarmName(name))),
          width: WHOLE,
          height: 3,
        }),
      ],
      apiGraphs(apiId),
      [
        graph('Executions that failed', [ofMachines('ExecutionsFailed', 'Sum')]),
        graph('Executions that began', [ofMachines('ExecutionsStarted', 'Sum')]),
      ],
      [
        graph('Functions: errors and throttles', [ofFunctions('Errors', 'Sum')], [ofFunctions('Throttles', 'Sum')]),
        graph('Functions: longest run, ms', [ofFunctions('Duration', 'Maximum')]),
      ],
      [
        graph('Table: consumed capacity', [
          ofTable('ConsumedReadCapacityUnits'),
          ofTable('ConsumedWriteCapacityUnits'),
        ]),
        graph('Event stream: age of what is forwarded, ms', [ofFunctions('IteratorAge', 'Maximum')]),
      ],
      [
        new SingleValueWidget({
          title: 'Now',
          metrics: [
            ownMetric('OverdueSeconds', 'Maximum').with({ label: 'past its deadline, s' }),
            ownMetric('SilentSeconds', 'Maximum').with({ label: 'silence of a worker, s' }),
            ownMetric('OperationsGivenUp', 'Sum').with({ label: 'operations given up' }),
            ownMetric('SweepFaults', 'Sum').with({ label: 'faults of the sweep' }),
            ownMetric('SweepSeconds', 'Maximum').with({ label: 'a sweep, s' }),
            ownMetric('SweepStaleSeconds', 'Maximum').with({ label: 'looks put off, s' }),
            ownMetric('EventsUnreadable', 'Sum').with({ label: 'events passed over' }),
            ownMetric('CanarySeconds', 'Maximum').with({ label: 'canary, s' }),
          ],
          width: WHOLE,
          height: 3,
        }),
      ],
    ],
  })
