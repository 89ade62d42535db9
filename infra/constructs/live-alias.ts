import { Duration, RemovalPolicy } from 'aws-cdk-lib'
import type { Alarm } from 'aws-cdk-lib/aws-cloudwatch'
import { LambdaDeploymentConfig, LambdaDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy'
import { Alias, type IFunction, type IVersion, Version } from 'aws-cdk-lib/aws-lambda'
import { acknowledge } from '../acknowledge.ts'
import { RunbookAlarm } from '../alarms/runbook-alarm.ts'
import type { DeploymentSettings } from '../settings/settings.schema.ts'
import type { NodeFunction } from './node-function.ts'

/** Whether new code gets its traffic in steps. */
const isCareful = ({ deployment, stage }: DeploymentSettings): boolean =>
  (deployment ?? (stage === 'prod' ? 'canary' : 'at-once')) === 'canary'

const MINUTE = Duration.minutes(1)

/** Rings when the function fails, in the version of before or the new one: it answers errors of its callers itself, so this is a fault. */
const failing = (alias: Alias, settings: DeploymentSettings): Alarm =>
  new RunbookAlarm(alias, {
    settings,
    name: `deployment-failed-${alias.lambda.node.id}`,
    article: 'deployment-failed',
    description: `The function ${alias.lambda.node.id} fails; a deployment that is under way is rolled back.`,
    metric: alias.metricErrors({ period: MINUTE, statistic: 'Sum' }),
    threshold: 1,
    // CodeDeploy acts on it; what clients feel of it rings other alarms.
    tells: false,
  })

/**
 * What the gateway calls of a function: the version that is `live`. With deployment `canary` a new version gets a tenth of the calls for
 * five minutes, then all, and none any more when it fails. Versions of before are kept, so that `live` can be put back by hand;
 * one whose deployment was rolled back is not, since Lambda would not publish the same code again.
 */
export const liveAlias = (target: NodeFunction, settings: DeploymentSettings): IFunction => {
  const version = target.currentVersion
  if (version instanceof Version) version.applyRemovalPolicy(RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE)
  const alias = new Alias(target, 'live', { aliasName: 'live', version: version as IVersion })
  if (isCareful(settings)) {
    const group = new LambdaDeploymentGroup(target, 'deployment', {
      alias,
      deploymentConfig: LambdaDeploymentConfig.CANARY_10PERCENT_5MINUTES,
      alarms: [failing(alias, settings)],
    })
    acknowledge(
      group,
      'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      "CDK attaches it to any role of a deployment group; it is CodeDeploy's own, for aliases and alarms.",
    )
  }
  return alias as IFunction
}
