import { SFNClient } from '@aws-sdk/client-sfn'
import { driverRegistry } from '../drivers/registry.ts'
import type { Connect } from '../kubernetes/client.ts'
import { openDocumentClient } from '../store/dynamodb/document-client.ts'
import { dynamoStores } from '../store/dynamodb/stores.ts'
import { AWS_CLIENT_OPTIONS } from './aws-client-options.ts'
import type { ReconcilerEnv } from './env.ts'
import { newUuidV7 } from './ids.ts'
import type { Clock, KeyService, Ports } from './ports.ts'
import { powertoolsLog } from './powertools-log.ts'
import { sfnExecutions } from './sfn-executions.ts'

const systemClock: Clock = { now: () => new Date() }

/** How a function reaches keys and clusters: `awsClusters`, or `noClusters`. */
export type ClusterAccess = { keys: KeyService; connect: Connect }

/** Ports on AWS: DynamoDB, Step Functions, JSON logs, and what the function may reach. Makes the clients, calls nothing. */
export const awsPorts = (env: ReconcilerEnv, { keys, connect }: ClusterAccess): Ports => {
  const clock = systemClock
  return {
    stores: dynamoStores({
      documentClient: openDocumentClient({ region: env.AWS_REGION }),
      tableName: env.TABLE_NAME,
      keys,
      clock,
    }),
    executions: sfnExecutions(
      new SFNClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS }),
      env.STATE_MACHINE_ARN_PREFIX,
    ),
    drivers: driverRegistry(),
    connect,
    clock,
    newId: () => newUuidV7(clock),
    log: powertoolsLog(),
  }
}
