import { existsSync } from 'node:fs'
import path from 'node:path'
import { awsCallers } from '../api/aws-callers.ts'
import type { ApiSettings } from '../api/settings.ts'
import { PROJECT_LIMITS } from '../core/values/quota.ts'
import { cedarPolicy } from '../policy/cedar-policy.ts'
import type { Policy } from '../policy/policy.ts'
import { bundledOpenApi, readPolicyFolder } from './bundled-files.ts'
import type { TableEnv } from './env.ts'

/**
 * Policies beside the bundle, as `infra/bundle.ts` copies and checks them: the defaults in `policy/`, those of the operator in `policies/`.
 *
 * @throws PolicyTextInvalid
 */
const bundledPolicy = (): Policy => {
  // Bundles are CommonJS: it is the folder of `index.js`.
  const folders = ['policy', 'policies'].map((name) => path.join(__dirname, name))
  return cedarPolicy(folders.filter((folder) => existsSync(folder)).flatMap(readPolicyFolder))
}

type LimitSetting =
  | 'FEDERATIONS_PER_PROJECT'
  | 'TEMPLATES_PER_PROJECT'
  | 'OPERATIONS_PER_PROJECT'
  | 'GRANTS_PER_PROJECT'
  | 'REQUESTS_PER_PROJECT'
  | 'REQUESTS_PER_PRINCIPAL'

/** Settings of the API on AWS. API Gateway passes a client's `X-Forwarded-*` on, so they are not trusted. */
export const apiSettings = (
  env: Pick<TableEnv, 'PUBLIC_URL' | 'CLUSTERS_PER_PROJECT' | 'AUTH_URL' | 'AWS_CALLERS' | LimitSetting> & {
    EVENT_STREAM_URL?: string
  },
): ApiSettings => ({
  baseUrl: env.PUBLIC_URL,
  trustForwarded: false,
  policy: bundledPolicy(),
  // Bundles are CommonJS: it is the folder of `index.js`.
  openApi: bundledOpenApi(__dirname),
  clustersPerProject: Number(env.CLUSTERS_PER_PROJECT),
  projectLimits: {
    ...PROJECT_LIMITS,
    federations: Number(env.FEDERATIONS_PER_PROJECT),
    templates: Number(env.TEMPLATES_PER_PROJECT),
    operations: Number(env.OPERATIONS_PER_PROJECT),
    grants: Number(env.GRANTS_PER_PROJECT),
  },
  rates: { perProject: Number(env.REQUESTS_PER_PROJECT), perPrincipal: Number(env.REQUESTS_PER_PRINCIPAL) },
  awsCallers: awsCallers(env.AWS_CALLERS),
  ...(env.EVENT_STREAM_URL ? { eventStreamUrl: `${env.EVENT_STREAM_URL.replace(/\/$/, '')}/v1/events` } : {}),
  ...(env.AUTH_URL === '' ? {} : { authUrl: env.AUTH_URL }),
})
