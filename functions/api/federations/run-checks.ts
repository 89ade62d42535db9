import type { Cluster } from '../../core/cluster/cluster.ts'
import { isAppError } from '../../core/values/app-error.ts'
import type { Finding, Preflight } from '../../drivers/contract/federation-driver.ts'

/** Milliseconds for all checks together: the gateway waits 30 s. */
const PREFLIGHT_MS = 20_000

/** One observation of one cluster. */
export type Check = {
  cluster: Cluster
  run(): Promise<Preflight>
  /** How bad it is when the cluster can't be checked. Default `error`. */
  faultsAre?: Finding['severity']
}

/** What the looks told, with the cluster that each is about. */
export type CheckResults = { findings: (Finding & { clusterId: string })[]; wouldMake: string[] }

const fault = ({ faultsAre = 'error' }: Check, reason: string, message: string): Preflight => ({
  wouldMake: [],
  findings: [{ severity: faultsAre, reason, message }],
})

const failure = (check: Check, error: unknown): Preflight => {
  if (!isAppError(error) || error.kind === 'internal') throw error
  return fault(check, error.name, error.message)
}

const tooLate = (check: Check): Preflight => {
  const { name, id } = check.cluster
  const message = `Cluster ${name} (${id}) could not be checked within ${PREFLIGHT_MS / 1000} s.`
  return fault(check, 'PreflightTimedOut', message)
}

/** Runs all checks at once; a cluster that can't be reached, or is too slow, is a finding. */
export const runChecks = async (checks: readonly Check[]): Promise<CheckResults> => {
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => late.resolve('late'), PREFLIGHT_MS)
  try {
    const told = await Promise.all(
      checks.map(async (check): Promise<CheckResults> => {
        const { cluster } = check
        const looked = check.run().catch((error: unknown) => failure(check, error))
        const result = await Promise.race([looked, late.promise])
        const { wouldMake, findings } = result === 'late' ? tooLate(check) : result
        return {
          wouldMake: wouldMake.map((what) => `${cluster.name}: ${what}`),
          findings: findings.map((finding) => ({ ...finding, clusterId: cluster.id })),
        }
      }),
    )
    return { wouldMake: told.flatMap((one) => one.wouldMake), findings: told.flatMap((one) => one.findings) }
  } finally {
    clearTimeout(timer)
  }
}
