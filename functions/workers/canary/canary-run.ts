import type { Clock, Logger, PublishMetrics } from '../../core/ports.ts'
import { CANARY_SECONDS } from '../../core/values/canary.ts'
import { CanaryApi } from './canary-api.ts'
import { parseCanarySecret } from './canary-secret.schema.ts'
import { type LoginSettings, logIn } from './login.ts'
import { type WalkReport, walk } from './walk.ts'

export type CanaryReport = WalkReport

export type CanaryParts = {
  /** Of the API, without `/v1`. */
  url: string
  login: LoginSettings
  /** The text of the canary's secret. @throws SecretUnavailable */
  readSecret(signal: AbortSignal): Promise<string>
  publish: PublishMetrics
  clock: Clock
  log: Logger
  /** Between looks, milliseconds. Default 2,000. */
  pollMs?: number
}

/**
 * One run of the canary.
 *
 * @throws CanaryFailed, CanaryRefused, CanarySecretInvalid, SecretUnavailable
 */
export const canaryRun = async (parts: CanaryParts): Promise<CanaryReport> => {
  const { url, clock, log, publish, pollMs } = parts
  const signal = AbortSignal.timeout(CANARY_SECONDS.walk * 1000)
  const afterwards = AbortSignal.timeout((CANARY_SECONDS.walk + CANARY_SECONDS.afterwards) * 1000)
  const secret = parseCanarySecret(await parts.readSecret(signal))
  const login = await logIn(secret, parts.login, signal)
  const api = new CanaryApi({ url, login, signal, ...(pollMs === undefined ? {} : { pollMs }) })
  const kubeconfigs = { host: secret.host_kubeconfig, member: secret.member_kubeconfig }
  const runSeconds = CANARY_SECONDS.walk + CANARY_SECONDS.afterwards
  const report = await walk({ api, kubeconfigs, clock, log, runSeconds }, afterwards)
  log.info('canary', { ...report })
  if (report.outcome === 'walked') publish({ CanarySeconds: report.seconds })
  return report
}
