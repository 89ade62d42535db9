import { type IdentitySettings, keystoneBase } from '../functions/authorizer/settings.ts'
import type { Cloud } from '../functions/cloud/cloud.ts'
import { keystoneCloud } from '../functions/cloud/keystone/keystone-cloud.ts'
import { DEFAULT_CLUSTER_ROLES } from '../functions/core/values/identity.ts'

/** The cloud whose Keystone vouches for callers; undefined without one. */
export const localCloud = (identity: IdentitySettings | undefined): Cloud | undefined => {
  if (identity?.keystone === undefined) return
  const { url, region = null, caPem = null, clusterRoles: roles = DEFAULT_CLUSTER_ROLES } = identity.keystone
  return keystoneCloud({ base: keystoneBase(url), region, caPem, roles })
}
