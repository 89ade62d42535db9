import { Aws } from 'aws-cdk-lib'
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Key } from 'aws-cdk-lib/aws-kms'

/** Name of the event bus: rules of other stacks and accounts name it, and so does the key's policy. */
export const BUS_NAME = 'fedplane'

const arn = (service: string, rest: string): string =>
  `arn:${Aws.PARTITION}:${service}:${Aws.REGION}:${Aws.ACCOUNT_ID}:${rest}`

/** The same as an ARN. */
export const BUS_ARN = arn('events', `event-bus/${BUS_NAME}`)

/** What services use the key for, each bound to what is ours. */
const USES: readonly { principal: string; actions: string[]; conditions: Record<string, Record<string, string>> }[] = [
  {
    // CloudWatch Logs, for log groups of this account and Region.
    principal: `logs.${Aws.REGION}.amazonaws.com`,
    actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
    conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': arn('logs', 'log-group:*') } },
  },
  {
    // EventBridge, for what is on our bus.
    principal: 'events.amazonaws.com',
    actions: ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:DescribeKey'],
    conditions: {
      StringEquals: {
        'aws:SourceAccount': Aws.ACCOUNT_ID,
        'kms:EncryptionContext:aws:events:event-bus:arn': BUS_ARN,
      },
      ArnLike: { 'aws:SourceArn': BUS_ARN },
    },
  },
  {
    // CloudWatch, for the topic that tells of alarms.
    principal: 'cloudwatch.amazonaws.com',
    actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
    conditions: {
      StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
      ArnLike: { 'aws:SourceArn': arn('cloudwatch', 'alarm:*') },
    },
  },
]

/**
 * Lets AWS services use the key for what they keep of us, and for nothing else. DynamoDB, SQS and the like use it with the rights of the
 * function that calls them (`grants.ts`).
 */
export const letServicesUse = (key: Key): void => {
  for (const { principal, actions, conditions } of USES) {
    key.addToResourcePolicy(
      new PolicyStatement({ principals: [new ServicePrincipal(principal)], actions, resources: ['*'], conditions }),
    )
  }
}
