import { SFNClient } from '@aws-sdk/client-sfn'
import { newUuidV7 } from '../core/ids.ts'
import type { Clock, KeyService, TablePorts } from '../core/ports.ts'
import { driverDescriptions } from '../drivers/descriptions.ts'
import { openDocumentClient } from '../store/dynamodb/document-client.ts'
import { dynamoStores } from '../store/dynamodb/stores.ts'
import { AWS_CLIENT_OPTIONS } from './aws-client-options.ts'
import { enabledDrivers } from './enabled-drivers.ts'
import type { ReconcilerEnv } from './env.ts'
import { noKeys } from './no-keys.ts'
import { powertoolsLog } from './powertools-log.ts'
import { sfnExecutions } from './sfn-executions.ts'

const systemClock: Clock = { now: () => new Date() }

/**
 * Ports on AWS: DynamoDB, Step Functions, JSON logs, and what drivers say. Makes the clients, calls nothing. A file of its own, so that
 * functions without rights on keys carry no driver and no way into clusters.
 *
 * @param keys default: refuses
 */
export const awsTablePorts = (env: ReconcilerEnv, keys: KeyService = noKeys): TablePorts => {
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
    drivers: driverDescriptions(enabledDrivers(env)),
    clock,
    newId: () => newUuidV7(clock),
    log: powertoolsLog(),
  }
}
