import type { KeysEnv } from '../functions/runtime/env.ts'
import type { DeploymentSettings } from './settings/settings.schema.ts'

type CloudEnv = Pick<KeysEnv, 'KEYSTONE_URL' | 'KEYSTONE_REGION' | 'KEYSTONE_CA_PEM' | 'KEYSTONE_CLUSTER_ROLES'>

/** Where clusters get their application credentials. */
export const cloudEnvironment = (settings: DeploymentSettings): CloudEnv => ({
  KEYSTONE_URL: settings.keystoneUrl ?? '',
  KEYSTONE_REGION: settings.keystoneRegion ?? '',
  KEYSTONE_CA_PEM: settings.keystoneCa ?? '',
  KEYSTONE_CLUSTER_ROLES: settings.keystoneClusterRoles.join(','),
})
