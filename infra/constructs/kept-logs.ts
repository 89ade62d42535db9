import { RemovalPolicy } from 'aws-cdk-lib'
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'
import type { Installation } from '../installation.ts'

/** A log group under the installation's key, kept as long as the setting says; it goes with its stack. */
export class KeptLogs extends LogGroup {
  /** @param name of the log group; default: CloudFormation's */
  constructor(scope: Construct, id: string, { settings, data }: Installation, name?: string) {
    super(scope, id, {
      // The enumeration's values are days.
      retention: settings.logRetentionDays as RetentionDays,
      encryptionKey: data.storageKey,
      removalPolicy: RemovalPolicy.DESTROY,
      ...(name === undefined ? {} : { logGroupName: name }),
    })
  }
}
