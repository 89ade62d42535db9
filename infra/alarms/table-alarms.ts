import { Metric } from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import { TABLE_DEFINITION } from '../../functions/store/dynamodb/table-definition.ts'
import { sumOf } from './metrics.ts'
import { FIVE_MINUTES, RunbookAlarm, type RunbookSettings } from './runbook-alarm.ts'

const throttles = (metricName: string, dimensionsMap: Record<string, string>): Metric =>
  new Metric({ namespace: 'AWS/DynamoDB', metricName, dimensionsMap, statistic: 'Sum', period: FIVE_MINUTES })

/** Of the table, and of its indexes: one that can't follow holds up the writes of the table. */
export const addTableAlarms = (
  scope: Construct,
  { settings, tableName }: { settings: RunbookSettings; tableName: string },
): RunbookAlarm[] => {
  const ofTable = { TableName: tableName }
  const indexes = TABLE_DEFINITION.indexes.map(({ name }) => ({ ...ofTable, GlobalSecondaryIndexName: name }))
  return [
    new RunbookAlarm(scope, {
      settings,
      name: 'table-throttled',
      description: 'DynamoDB refused reads or writes of the table or an index a hundred times within five minutes.',
      metric: sumOf(
        [ofTable, ...indexes].flatMap((dimensions) =>
          ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => throttles(name, dimensions)),
        ),
        'throttled requests',
      ),
      threshold: 100,
    }),
  ]
}
