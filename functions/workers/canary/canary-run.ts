import type { Clock, Logger, PublishMetrics } from '../../core/ports.ts'
import type { Secret } from '../../core/values/secret.ts'
import { CANARY_DRIVERS, CANARY_SECONDS } from '../../core/values/workers.ts'
import { CanaryApi, type View } from './canary-api.ts'
import { CanaryFailed, type LoginSettings, logIn, parseCanarySecret } from './login.ts'

/** Names of all that the canary makes begin so, and go on with the second of its run: nothing else in the project is touched. */
const NAME = /^fedplane-canary-([0-9]+)-/

type Kubeconfigs = { host: Secret; member: Secret }

type WalkParts = {
  api: CanaryApi
  kubeconfigs: Kubeconfigs
  clock: Clock
  log: Logger
  /** Seconds that a run may take at most; what is older was left behind by one that died. */
  runSeconds: number
}

type WalkReport = {
  /** `skipped`: another run is under way. */
  outcome: 'walked' | 'skipped'
  seconds: number
  /** Things that an earlier run had left behind. */
  cleaned: number
}

type Member = { cluster_id: string; state: string }
type Federation = View & { members: Member[] }
/** Things to be removed, in this order: a cluster goes when no federation uses it. */
type Leftovers = { federations: View[]; clusters: View[] }

const secondsOf = (clock: Clock): number => Math.floor(clock.now().getTime() / 1000)

/** Runs a step; whatever goes wrong says at which it was. */
const at = async <T>(step: string, run: () => Promise<T>): Promise<T> => {
  try {
    return await run()
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new CanaryFailed(`The canary failed at "${step}": ${why}`, { cause, details: { step } })
  }
}

const leftovers = async (api: CanaryApi): Promise<Leftovers> => {
  const { federations } = await api.get<{ federations: View[] }>('/v1/federations')
  const { clusters } = await api.get<{ clusters: View[] }>('/v1/clusters')
  const isOurs = ({ name }: View): boolean => NAME.test(name)
  return { federations: federations.filter(isOurs), clusters: clusters.filter(isOurs) }
}

/** Removes things of the canary; federations also when their clusters can't be reached any more. */
const clear = async (api: CanaryApi, { federations, clusters }: Leftovers): Promise<number> => {
  for (const { uuid } of federations) await api.remove(`/v1/federations/${uuid}`, '?force=true')
  await Promise.all(clusters.map(({ uuid }) => api.remove(`/v1/clusters/${uuid}`)))
  return federations.length + clusters.length
}

/** Whether something that is there belongs to a run that may still be going on. */
const isUnderWay = ({ federations, clusters }: Leftovers, now: number, runSeconds: number): boolean =>
  [...federations, ...clusters].some(({ name }) => now - Number(NAME.exec(name)?.[1]) < runSeconds)

const register = async (api: CanaryApi, name: string, kubeconfig: Secret): Promise<string> => {
  const uuid = await api.create('/v1/clusters', { name, kubeconfig: kubeconfig.reveal() })
  await api.created(`/v1/clusters/${uuid}`)
  return uuid
}

const federate = async (api: CanaryApi, name: string, [host, member]: readonly [string, string]): Promise<string> => {
  const uuid = await api.create('/v1/federations', {
    name,
    hostcluster_id: host,
    member_ids: [member],
    driver: CANARY_DRIVERS.federation,
  })
  const { members } = await api.created<Federation>(`/v1/federations/${uuid}`)
  const state = members.find(({ cluster_id }) => cluster_id === member)?.state ?? 'no member'
  if (state !== 'Ready') throw new CanaryFailed(`The member of ${name} is ${state}, not Ready.`)
  return uuid
}

const requireListed = async (api: CanaryApi, clusters: readonly string[], federation: string): Promise<void> => {
  const listed = await leftovers(api)
  const found = new Set([...listed.clusters, ...listed.federations].map(({ uuid }) => uuid))
  const missing = [...clusters, federation].filter((uuid) => !found.has(uuid))
  if (missing.length > 0) throw new CanaryFailed(`The lists lack ${missing.join(', ')}.`)
}

/** The main path, from nothing to nothing. */
const mainPath = async ({ api, kubeconfigs }: WalkParts, prefix: string): Promise<void> => {
  const [host, member] = await at('register clusters', () =>
    Promise.all([
      register(api, `${prefix}host`, kubeconfigs.host),
      register(api, `${prefix}member`, kubeconfigs.member),
    ]),
  )
  const federation = await at('create a federation', () => federate(api, `${prefix}federation`, [host, member]))
  await at('list', () => requireListed(api, [host, member], federation))
  await at('delete the federation', () => api.remove(`/v1/federations/${federation}`))
  await at('delete the clusters', () => Promise.all([host, member].map((uuid) => api.remove(`/v1/clusters/${uuid}`))))
}

/** What is left after a failure is removed at once if that can be; else by the next run. */
const clearAfterFailure = async ({ api, log }: WalkParts, signal: AbortSignal): Promise<void> => {
  try {
    const rest = api.until(signal)
    await clear(rest, await leftovers(rest))
  } catch (error) {
    log.warn('the canary left something behind; its next run removes it', { error })
  }
}

/**
 * Walks the main path as a customer would: registers two clusters, federates them, lists, deletes. First it removes what a run that died
 * has left behind.
 *
 * @param afterwards for how long what is left after a failure may be removed
 * @throws CanaryFailed naming the step
 */
const walk = async (parts: WalkParts, afterwards: AbortSignal): Promise<WalkReport> => {
  const { api, clock, runSeconds } = parts
  const begun = secondsOf(clock)
  const left = await at('look for leftovers', () => leftovers(api))
  if (isUnderWay(left, begun, runSeconds)) return { outcome: 'skipped', seconds: 0, cleaned: 0 }
  const cleaned = await at('remove leftovers', () => clear(api, left))
  try {
    await mainPath(parts, `fedplane-canary-${begun}-`)
  } catch (error) {
    await clearAfterFailure(parts, afterwards)
    throw error
  }
  return { outcome: 'walked', seconds: secondsOf(clock) - begun, cleaned }
}

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
