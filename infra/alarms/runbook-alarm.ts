import { Aws, Duration } from 'aws-cdk-lib'
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type IMetric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch'
import type { Construct } from 'constructs'
import type { DeploymentSettings } from '../settings/settings.schema.ts'

/** Topic that is informed of alarms. A name of its own, so that alarms of all stacks can name it before it is there. */
export const ALARM_TOPIC = 'fedplane-alarms'

/** Tells the topic, when it rings and when it is over. CloudWatch looks for the topic only then. */
export const notifyTopic = (alarm: Pick<Alarm, 'addAlarmAction' | 'addOkAction'>): void => {
  alarm.addAlarmAction(TOPIC)
  alarm.addOkAction(TOPIC)
}

const TOPIC: IAlarmAction = {
  bind: () => ({ alarmActionArn: `arn:${Aws.PARTITION}:sns:${Aws.REGION}:${Aws.ACCOUNT_ID}:${ALARM_TOPIC}` }),
}

/** Where the article of an alarm is: below `runbookUrl`, else in this repository. */
const articleOf = ({ runbookUrl }: RunbookSettings, article: string): string =>
  `${runbookUrl === undefined ? 'docs/runbook' : runbookUrl.replace(/\/+$/, '')}/${article}.md`

export type RunbookSettings = Pick<DeploymentSettings, 'runbookUrl'>

/** A sentence, and where to read on. */
export const describeAlarm = (settings: RunbookSettings, description: string, article: string): string =>
  `${description} Runbook: ${articleOf(settings, article)}`

/** Minutes that a value of a metric stands for. */
export const FIVE_MINUTES = Duration.minutes(5)

export type RunbookAlarmProps = {
  settings: RunbookSettings
  /** Its name in CloudWatch is `fedplane-<name>`. */
  name: string
  /** What is wrong when it rings: a sentence. */
  description: string
  /** File in docs/runbook without `.md`. Default: the name. */
  article?: string
  metric: IMetric
  /** Rings from this value on; with `below`, under it. */
  threshold: number
  below?: boolean
  /** Periods of the metric that are checked. Default 1. */
  periods?: number
  /** How many of them must be over the threshold. Default: all. */
  datapoints?: number
  /**
   * True: that there is no data is told, too (`INSUFFICIENT_DATA`). A new alarm begins there, so the first deployment rings nothing, as it would if missing
   * data counted as bad. Default false.
   */
  silenceIsBad?: boolean
  /** False: it rings within another alarm only, which tells of it. Default true. */
  tells?: boolean
}

/** An alarm as all of ours are: with a name, an article of the runbook in its description, and a topic that is reported. */
export class RunbookAlarm extends Alarm {
  /** Without `fedplane-`. */
  readonly shortName: string
  readonly tells: boolean

  constructor(scope: Construct, props: RunbookAlarmProps) {
    super(scope, `${props.name}-alarm`, {
      alarmName: alarmName(props.name),
      alarmDescription: describeAlarm(props.settings, props.description, props.article ?? props.name),
      metric: props.metric,
      threshold: props.threshold,
      comparisonOperator: props.below
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      evaluationPeriods: props.periods ?? 1,
      datapointsToAlarm: props.datapoints ?? props.periods ?? 1,
      treatMissingData: props.silenceIsBad ? TreatMissingData.MISSING : TreatMissingData.NOT_BREACHING,
    })
    this.shortName = props.name
    this.tells = props.tells ?? true
    if (this.tells) notifyTopic(this)
    if (props.silenceIsBad) this.addInsufficientDataAction(TOPIC)
  }
}

/** Name of an alarm in CloudWatch. */
export const alarmName = (name: string): string => `fedplane-${name}`
