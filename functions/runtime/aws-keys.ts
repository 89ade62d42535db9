import { KMSClient } from '@aws-sdk/client-kms'
import { AWS_CLIENT_OPTIONS } from './aws-client-options.ts'
import type { WorkerEnv } from './env.ts'
import { kmsKeys } from './kms-keys.ts'
import type { KeyService } from './ports.ts'

/** Keys of the functions that have rights on the KMS key. Apart from `awsPorts`, so that others bundle no KMS client. */
export const awsKeys = (env: Pick<WorkerEnv, 'AWS_REGION' | 'KMS_KEY_ARN'>): KeyService =>
  kmsKeys(new KMSClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS }), env.KMS_KEY_ARN)
