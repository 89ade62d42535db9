import { CfnOutput, Duration } from 'aws-cdk-lib'
import { Rule, Schedule } from 'aws-cdk-lib/aws-events'
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets'
import { Construct } from 'constructs'
import type { CanaryEnv, Settings } from '../../functions/runtime/env.ts'
import { acknowledge } from '../acknowledge.ts'
import { ownMetric } from '../alarms/metrics.ts'
import { RunbookAlarm } from '../alarms/runbook-alarm.ts'
import { grantSecret } from '../grants.ts'
import type { Installation } from '../installation.ts'
import { NodeFunction } from './node-function.ts'

export type CanaryProps = {
  installation: Installation
  /** Complete ARN of its secret. */
  secretArn: string
  /** Of the API, without `/v1`. */
  publicUrl: string
}

/** Walks the main path by the clock, as a customer: over the public address, with a credential and clusters of its own. */
export class Canary extends Construct {
  /** Its alarm. */
  readonly failed: RunbookAlarm

  constructor(scope: Construct, id: string, { installation, secretArn, publicUrl }: CanaryProps) {
    super(scope, id)
    const { settings } = installation
    const environment: Settings<CanaryEnv> = {
      PUBLIC_URL: publicUrl,
      KEYSTONE_URL: settings.keystoneUrl ?? '',
      OIDC_ISSUER: settings.oidcIssuer ?? '',
      CANARY_SECRET_ARN: secretArn,
    }
    const canary = new NodeFunction(this, 'canary', {
      installation,
      kind: 'canary',
      once: true,
      bundle: 'event-canary',
      description: 'fedplane: walks the main path',
      environment,
      memoryMiB: 256,
    })
    grantSecret(canary, secretArn, settings.canarySecretKeyArn)
    const interval = Duration.minutes(settings.canaryMinutes)
    const rule = new Rule(this, 'schedule', {
      schedule: Schedule.rate(interval),
      // The next run tries again, and begins with what this one left behind.
      targets: [new LambdaFunction(canary, { retryAttempts: 0 })],
    })
    acknowledge(
      rule,
      'Serverless-EventBusDLQ',
      'The next run does what this event was for, so one that is kept is of no use.',
    )
    this.failed = new RunbookAlarm(this, {
      settings,
      name: 'canary-failed',
      description: 'Two runs of the canary in a row did not get along the main path: customers will not, either.',
      metric: ownMetric('CanarySeconds', 'SampleCount', interval),
      threshold: 1,
      below: true,
      periods: 2,
      silenceIsBad: true,
    })
    new CfnOutput(this, 'function', { value: canary.functionName, description: 'Invoke it to run the canary now.' })
  }
}
