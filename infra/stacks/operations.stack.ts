import { Aws, CfnOutput, Stack } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import { Topic } from 'aws-cdk-lib/aws-sns'
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions'
import type { Construct } from 'constructs'
import { acknowledge } from '../acknowledge.ts'
import { CUSTOMERS_AFFECTED } from '../alarms/api-alarms.ts'
import { addDashboard } from '../alarms/dashboard.ts'
import { ALARM_TOPIC, type RunbookAlarm } from '../alarms/runbook-alarm.ts'
import { Canary } from '../constructs/canary.ts'
import type { InstallationStackProps } from '../installation.ts'
import type { ApiStack } from './api.stack.ts'

export type OperationsStackProps = InstallationStackProps & {
  api: ApiStack
  flows: Stack
  events: Stack
  /** Those of the other stacks. */
  alarms: readonly RunbookAlarm[]
}

/** For those who look after an installation: who is reported, what one checks, and the canary. */
export class OperationsStack extends Stack {
  constructor(scope: Construct, id: string, { api, flows, events, alarms, ...props }: OperationsStackProps) {
    super(scope, id, props)
    for (const other of [api, flows, events]) this.addStackDependency(other, 'has alarms that are named here')
    this.#addTopic(props)
    const all = [...alarms, ...this.#addCanary(props, api)]
    addDashboard(this, {
      settings: props.settings,
      apiId: api.api.apiId,
      alarms: [CUSTOMERS_AFFECTED, ...all.map(({ shortName }) => shortName)],
    })
  }

  #addCanary(installation: InstallationStackProps, { publicUrl }: ApiStack): RunbookAlarm[] {
    const { canarySecretArn: secretArn } = installation.settings
    return secretArn === undefined ? [] : [new Canary(this, 'canary', { installation, secretArn, publicUrl }).failed]
  }

  #addTopic({ settings, data }: InstallationStackProps): void {
    const topic = new Topic(this, 'alarms', {
      topicName: ALARM_TOPIC,
      displayName: 'fedplane',
      masterKey: data.storageKey,
      enforceSSL: true,
    })
    // A policy of ours, which `enforceSSL` makes, replaces the one that SNS gives a topic, by which all of the account may publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        sid: 'AlarmsTell',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: {
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
          ArnLike: { 'aws:SourceArn': `arn:${Aws.PARTITION}:cloudwatch:${Aws.REGION}:${Aws.ACCOUNT_ID}:alarm:*` },
        },
      }),
    )
    acknowledge(
      topic,
      'Serverless-SNSRedrivePolicy',
      'SNS itself repeats a mail that is not taken; a queue of mails would be one more place that nobody checks.',
    )
    if (settings.alarmEmail !== undefined) topic.addSubscription(new EmailSubscription(settings.alarmEmail))
    new CfnOutput(this, 'alarm-topic', { value: topic.topicArn, description: 'Subscribe a pager or a chat to it.' })
  }
}
