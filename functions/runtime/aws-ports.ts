import path from 'node:path'
import { KMSClient } from '@aws-sdk/client-kms'
import { keystoneBase } from '../authorizer/settings.ts'
import type { Cloud } from '../cloud/cloud.ts'
import { keystoneCloud } from '../cloud/keystone/keystone-cloud.ts'
import type { Ports } from '../core/ports.ts'
import { awsGrants } from '../drivers/contract/aws-access.ts'
import { driverRegistry } from '../drivers/registry.ts'
import { connectWith } from '../kubernetes/connect.ts'
import { assetsIn } from './asset-folder.ts'
import { awsAccess } from './aws-access.ts'
import { AWS_CLIENT_OPTIONS } from './aws-clients.ts'
import { addressPolicyOf, kmsKeys } from './aws-keys.ts'
import { awsTablePorts, enabledDrivers } from './aws-table-ports.ts'
import type { WorkerEnv } from './env.ts'

type CloudEnv = Pick<WorkerEnv, 'KEYSTONE_URL' | 'KEYSTONE_REGION' | 'KEYSTONE_CA_PEM' | 'KEYSTONE_CLUSTER_ROLES'>

/** The cloud of a function's environment; undefined where none is set. */
export const cloudOfEnv = ({
  KEYSTONE_URL: url,
  KEYSTONE_REGION: region,
  KEYSTONE_CA_PEM: caPem,
  KEYSTONE_CLUSTER_ROLES: roles,
}: CloudEnv): Cloud | undefined =>
  url === ''
    ? undefined
    : keystoneCloud({ base: keystoneBase(url), region: region || null, caPem: caPem || null, roles: roles.split(',') })

/** Assets beside the bundle, in `assets/`, as `infra/assets.ts` copies them. */
const bundledAssets = (): Ports['asset'] =>
  // Bundles are CommonJS: it is the folder of `index.js`.
  assetsIn(path.join(__dirname, 'assets'), 'Run npm run assets where fedplane is deployed from, and deploy it again.')

/** Ports on AWS of the functions that have rights on the KMS key, and so a way into clusters. Makes the clients, calls nothing. */
export const awsPorts = (env: WorkerEnv): Ports => {
  const policy = addressPolicyOf(env)
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
