import type { ApiSettings } from '../api/settings.ts'
import { rolePolicy } from '../policy/role-policy.ts'
import { addressPolicy } from './address-policy.ts'
import type { TableEnv } from './env.ts'

/** Settings of the API on AWS. API Gateway passes a client's `X-Forwarded-*` on, so they are not trusted. */
export const apiSettings = (env: Pick<TableEnv, 'PUBLIC_URL' | 'ALLOWED_NETWORKS'>): ApiSettings => ({
  baseUrl: env.PUBLIC_URL,
  trustForwarded: false,
  addressPolicy: addressPolicy(env),
  policy: rolePolicy,
  clustersPerProject: 20,
})
