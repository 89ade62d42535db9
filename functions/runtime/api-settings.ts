import type { ApiSettings } from '../api/settings.ts'
import { keystoneBase } from '../authorizer/settings.ts'
import { bundledOpenApi } from './bundled-open-api.ts'
import { bundledPolicy } from './bundled-policy.ts'
import type { TableEnv } from './env.ts'

type LimitSetting = 'FEDERATIONS_PER_PROJECT' | 'TEMPLATES_PER_PROJECT' | 'OPERATIONS_PER_PROJECT'

/** Settings of the API on AWS. API Gateway passes a client's `X-Forwarded-*` on, so they are not trusted. */
export const apiSettings = (
  env: Pick<TableEnv, 'PUBLIC_URL' | 'CLUSTERS_PER_PROJECT' | 'KEYSTONE_URL' | LimitSetting>,
): ApiSettings => ({
  baseUrl: env.PUBLIC_URL,
  trustForwarded: false,
  policy: bundledPolicy(),
  // Bundles are CommonJS: it is the folder of `index.js`.
  openApi: bundledOpenApi(__dirname),
  clustersPerProject: Number(env.CLUSTERS_PER_PROJECT),
  projectLimits: {
    federations: Number(env.FEDERATIONS_PER_PROJECT),
    templates: Number(env.TEMPLATES_PER_PROJECT),
    operations: Number(env.OPERATIONS_PER_PROJECT),
  },
  ...(env.KEYSTONE_URL === '' ? {} : { authUrl: keystoneBase(env.KEYSTONE_URL) }),
})
