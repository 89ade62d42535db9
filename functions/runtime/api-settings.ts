import type { ApiSettings } from '../api/settings.ts'
import { addressPolicy } from './address-policy.ts'
import { bundledOpenApi } from './bundled-open-api.ts'
import { bundledPolicy } from './bundled-policy.ts'
import type { TableEnv } from './env.ts'

/** Settings of the API on AWS. API Gateway passes a client's `X-Forwarded-*` on, so they are not trusted. */
export const apiSettings = (
  env: Pick<TableEnv, 'PUBLIC_URL' | 'ALLOWED_NETWORKS' | 'CLUSTERS_PER_PROJECT'>,
): ApiSettings => ({
  baseUrl: env.PUBLIC_URL,
  trustForwarded: false,
  addressPolicy: addressPolicy(env),
  policy: bundledPolicy(),
  // Bundles are CommonJS: it is the folder of `index.js`.
  openApi: bundledOpenApi(__dirname),
  clustersPerProject: Number(env.CLUSTERS_PER_PROJECT),
})
