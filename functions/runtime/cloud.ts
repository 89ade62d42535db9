import { keystoneBase } from '../authorizer/settings.ts'
import type { Cloud } from '../cloud/cloud.ts'
import { keystoneCloud } from '../cloud/keystone/keystone-cloud.ts'
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
