import { KMSClient } from '@aws-sdk/client-kms'
import type { Ports } from '../core/ports.ts'
import { awsGrants } from '../drivers/contract/aws-grants.ts'
import { driverRegistry } from '../drivers/registry.ts'
import { connectWith } from '../kubernetes/connect.ts'
import { addressPolicy } from './address-policy.ts'
import { awsAccess } from './aws-access.ts'
import { AWS_CLIENT_OPTIONS } from './aws-client-options.ts'
import { awsTablePorts } from './aws-table-ports.ts'
import { bundledAssets } from './bundled-assets.ts'
import { cloudOfEnv } from './cloud.ts'
import { enabledDrivers } from './enabled-drivers.ts'
import type { WorkerEnv } from './env.ts'
import { kmsKeys } from './kms-keys.ts'

/** Ports on AWS of the functions that have rights on the KMS key, and so a way into clusters. Makes the clients, calls nothing. */
export const awsPorts = (env: WorkerEnv): Ports => {
  const policy = addressPolicy(env)
  const cloud = cloudOfEnv(env)
  return {
    ...awsTablePorts(env, kmsKeys(new KMSClient({ region: env.AWS_REGION, ...AWS_CLIENT_OPTIONS }), env.KMS_KEY_ARN)),
    drivers: driverRegistry({ aws: awsAccess(awsGrants(env.EKS_GRANTS)) }, enabledDrivers(env)),
    connect: connectWith({ policy }),
    ...(cloud === undefined ? {} : { cloud }),
    addressPolicy: policy,
    asset: bundledAssets(),
  }
}
