import { isAppError } from '../../domain/app-error.ts'
import type { Cluster } from '../../domain/cluster.ts'
import type { Federation } from '../../domain/federation.ts'
import type { Membership } from '../../domain/membership.ts'
import type {
  FederationContext,
  FederationDriver,
  Finding,
  Preflight,
} from '../../drivers/contract/federation-driver.ts'
import { clusterAccess, type OpenClusterAccess } from '../../operations/cluster-access.ts'
import type { Ports } from '../../runtime/ports.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import type { FederationPlan } from './new-federation.ts'

/** Milliseconds for all checks together: the gateway waits 30 s. */
const PREFLIGHT_MS = 20_000

/** One look at one cluster. */
type Check = { cluster: Cluster; run(): Promise<Preflight> }

type Told = { wouldMake: string[]; findings: (Finding & { clusterId: string })[] }

const failure = (error: unknown): Preflight => {
  if (!isAppError(error) || error.kind === 'internal') throw error
  return { wouldMake: [], findings: [{ severity: 'error', reason: error.name, message: error.message }] }
}

const tooLate = (cluster: Cluster): Preflight => ({
  wouldMake: [],
  findings: [
    {
      severity: 'error',
      reason: 'PreflightTimedOut',
      message: `Cluster ${cluster.name} (${cluster.id}) could not be checked within ${PREFLIGHT_MS / 1000} s.`,
    },
  ],
})

const runAll = async (checks: readonly Check[]): Promise<Told> => {
  const late = Promise.withResolvers<'late'>()
  const timer = setTimeout(() => late.resolve('late'), PREFLIGHT_MS)
  try {
    const told = await Promise.all(
      checks.map(async ({ cluster, run }): Promise<Told> => {
        const result = await Promise.race([run().catch(failure), late.promise])
        const { wouldMake, findings } = result === 'late' ? tooLate(cluster) : result
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

const respond = ({ wouldMake, findings }: Told): ApiResponse => ({
  status: 200,
  body: {
    would_make: wouldMake,
    findings: findings.map(({ severity, reason, message, clusterId }) => ({
      severity,
      reason,
      message,
      cluster_id: clusterId,
    })),
  },
})

export type JoinToCheck = { cluster: Cluster; membership: Membership }

type Subject = { federation: Federation; driver: FederationDriver; host: Cluster; joins: readonly JoinToCheck[] }

const memberCheck = (
  ports: Ports,
  { driver }: Subject,
  context: FederationContext,
  { membership, member }: { membership: Membership; member: OpenClusterAccess },
): Check => ({
  cluster: member.cluster,
  run: async () =>
    driver.checkMember({
      ...context,
      membership,
      member,
      memberToken: async () => undefined,
      connect: ports.connect,
    }),
})

const preflight = async (ports: Ports, subject: Subject, checkHost: boolean): Promise<ApiResponse> => {
  const { federation, driver, host, joins } = subject
  const access = {
    host: clusterAccess(ports, host),
    members: joins.map(({ cluster }) => clusterAccess(ports, cluster)),
  }
  const context: FederationContext = { federation, host: access.host, now: () => ports.clock.now().toISOString() }
  const checks = joins.flatMap(({ membership }, index) => {
    const member = access.members[index]
    return member === undefined ? [] : [memberCheck(ports, subject, context, { membership, member })]
  })
  if (checkHost) checks.unshift({ cluster: host, run: async () => driver.checkHost(context) })
  try {
    return respond(await runAll(checks))
  } finally {
    for (const opened of [access.host, ...access.members]) opened.close()
  }
}

/** What creating a federation would make and what would fail, host and members. Stores nothing. */
export const preflightOfCreate = (
  { ports }: Pick<ApiRequest, 'ports'>,
  { given, federation, memberships }: FederationPlan,
): Promise<ApiResponse> => {
  const joins = memberships.flatMap((membership, index) => {
    const cluster = given.members[index]
    return cluster === undefined ? [] : [{ cluster, membership }]
  })
  return preflight(ports, { federation, driver: given.driver, host: given.host, joins }, true)
}

/** The same for clusters that would join a federation that is there. */
export const preflightOfJoins = ({ ports }: Pick<ApiRequest, 'ports'>, subject: Subject): Promise<ApiResponse> =>
  preflight(ports, subject, false)
