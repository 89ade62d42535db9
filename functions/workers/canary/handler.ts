import { canaryEnv, readEnv } from '../../runtime/env.ts'
import { lazy } from '../../runtime/lazy.ts'
import { publishMetrics } from '../../runtime/metrics.ts'
import { powertoolsLog } from '../../runtime/powertools-log.ts'
import { secretReader } from '../../runtime/secret-reader.ts'
import { type CanaryReport, canaryRun } from './canary-run.ts'

const parts = lazy(() => {
  const env = readEnv(canaryEnv)
  return {
    url: env.PUBLIC_URL,
    login: { keystoneUrl: env.KEYSTONE_URL, oidcIssuer: env.OIDC_ISSUER },
    readSecret: secretReader(env.CANARY_SECRET_ARN),
    publish: publishMetrics(),
    clock: { now: () => new Date() },
    log: powertoolsLog(),
  }
})

/** Lambda entry of the canary's schedule. A run that fails ends with an error, and has no value in the metric. */
export const handler = async (): Promise<CanaryReport> => canaryRun(parts())
