import { clusterAccess, type OpenClusterAccess } from '../../core/access/cluster-access.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import type { Membership } from '../../core/membership/membership.ts'
import type { MembershipStep } from '../../core/membership/membership-steps.ts'
import type { Ports } from '../../core/ports.ts'
import { isAppError } from '../../core/values/app-error.ts'
import { describeObject } from '../../core/values/object-ref.ts'
import type {
  FederationContext,
  FederationDriver,
  Finding,
  Preflight,
} from '../../drivers/contract/federation-driver.ts'

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
export type CheckResults = { findings: (Finding & { clusterId: string | null })[]; wouldMake: string[] }

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

export type LeaveStep = Exclude<MembershipStep, { kind: 'join' }>

const workloadsIn = (step: LeaveStep): string[] =>
  step.kind === 'unjoin' && step.next.operation.workloads === 'delete'
    ? ['the workloads that the federation brought']
    : []

/** What a step would take away, in words: what the flows wrote down that they made. */
export const removalsOf = (step: LeaveStep, cluster: Pick<Cluster, 'name'> | undefined): string[] => {
  const { memberName, made, loan } = step.before
  if (loan !== undefined) return [`${memberName}: what the federation made in it`]
  const what =
    step.kind === 'dismiss' ? ['the record of its failed join'] : [...made.map(describeObject), ...workloadsIn(step)]
  return what.map((text) => `${cluster?.name ?? memberName}: ${text}`)
}

/**
 * An observation of whether a cluster can be reached, which an unjoin needs of host and member. With `force` it goes on without, so that it is
 * only reported.
 */
export const reachCheck = (ports: Ports, cluster: Cluster, force: boolean): Check => ({
  cluster,
  run: async () => {
    const access = clusterAccess(ports, cluster)
    try {
      await (await access.client()).version()
      return { findings: [], wouldMake: [] }
    } finally {
      access.close()
    }
  },
  faultsAre: force ? 'warning' : 'error',
})

/** A member that changed properties reach into. */
export type OpenMember = { membership: Membership; member: OpenClusterAccess }

/** Memberships that changed properties reach into: those in rest that the same request does not move. */
export const restingMembers = (memberships: readonly Membership[], steps: readonly MembershipStep[]): Membership[] => {
  const moved = new Set(steps.map((step) => ('next' in step ? step.next.clusterId : step.before.clusterId)))
  return memberships.filter(
    ({ state, clusterId }) => (state === 'Ready' || state === 'Degraded') && !moved.has(clusterId),
  )
}

/** The driver's check of host and members before properties change; none where nothing of a cluster can refuse them. */
export const updateChecks = (
  { checkUpdate }: FederationDriver,
  context: FederationContext,
  members: readonly OpenMember[],
): Check[] => {
  if (checkUpdate === undefined) return []
  return [
    { cluster: context.host.cluster, run: async () => checkUpdate.host(context) },
    ...members.map(({ membership, member }) => ({
      cluster: member.cluster,
      run: async () => checkUpdate.member({ ...context, membership, member, memberToken: async () => undefined }),
    })),
  ]
}
