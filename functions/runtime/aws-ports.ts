import { SFNClient } from '@aws-sdk/client-sfn'
import { driverRegistry } from '../drivers/registry.ts'
import { type AddressPolicy, restrictedPolicy } from '../kubernetes/address-guard.ts'
import { connectWith } from '../kubernetes/connect.ts'
import { openDocumentClient } from '../store/dynamodb/document-client.ts'
import { dynamoStores } from '../store/dynamodb/stores.ts'
import { AWS_CLIENT_OPTIONS } from './aws-client-options.ts'
import type { KeysEnv, ReconcilerEnv, TableEnv, WorkerEnv } from './env.ts'
import { newUuidV7 } from './ids.ts'
import type { Clock, KeyService, Ports } from './ports.ts'
import { powertoolsLog } from './powertools-log.ts'
import { sfnExecutions } from './sfn-executions.ts'

const systemClock: Clock = { now: () => new Date() }

/** Which addresses may be connected to on AWS: public ones, and the networks that the operator lists. @throws for text that is no CIDR */
export const addressPolicy = ({ ALLOWED_NETWORKS }: Pick<WorkerEnv, 'ALLOWED_NETWORKS'>): AddressPolicy =>
  restrictedPolicy(
    ALLOWED_NETWORKS.split(',')
      .map((network) => network.trim())
      .filter((network) => network !== ''),
  )

export type AwsEnv = TableEnv | KeysEnv | WorkerEnv | ReconcilerEnv

/** Ports on AWS: DynamoDB, Step Functions, JSON logs, and the keys that the function may use. Makes the clients, calls nothing. */
export const awsPorts = (env: AwsEnv, keys: KeyService): Ports => {
  const clock = systemClock
  const policy = addressPolicy('ALLOWED_NETWORKS' in env ? env : { ALLOWED_NETWORKS: '' })
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
    connect: connectWith({ policy }),
    clock,
    newId: () => newUuidV7(clock),
    log: powertoolsLog(),
  }
}
