import { KMSClient } from '@aws-sdk/client-kms'
import { connectWith } from '../kubernetes/connect.ts'
import { addressPolicy } from './address-policy.ts'
import { AWS_CLIENT_OPTIONS } from './aws-client-options.ts'
import type { ClusterAccess } from './aws-ports.ts'
import type { WorkerEnv } from './env.ts'
import { kmsKeys } from './kms-keys.ts'

/** Keys and connections of the functions that have rights on the KMS key. */
export const awsClusters = (
  env: Pick<WorkerEnv, 'AWS_REGION' | 'KMS_KEY_ARN' | 'ALLOWED_NETWORKS'>,
): ClusterAccess => ({
  keys: kmsKeys(new KMSClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS }), env.KMS_KEY_ARN),
  connect: connectWith({ policy: addressPolicy(env) }),
})
