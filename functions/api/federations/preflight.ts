import type { Cluster } from '../../domain/cluster.ts'
import type { Federation } from '../../domain/federation.ts'
import type { Membership } from '../../domain/membership.ts'
import type { FederationContext, FederationDriver } from '../../drivers/contract/federation-driver.ts'
import { clusterAccess, type OpenClusterAccess } from '../../operations/cluster-access.ts'
import type { Ports } from '../../runtime/ports.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { type LeaveStep, reachCheck, removalsOf } from './check-leaving.ts'
import { dryRunAnswer, withoutId } from './dry-run-answer.ts'
import type { MembershipStep } from './membership-steps.ts'
import type { FederationPlan } from './new-federation.ts'
import { type Check, runChecks, type Told } from './run-checks.ts'

type JoinToCheck = { cluster: Cluster; membership: Membership }

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

const preflight = async (
  ports: Ports,
  subject: Subject,
  more: (context: FederationContext) => readonly Check[],
): Promise<Told> => {
  const { federation, host, joins } = subject
  const access = {
    host: clusterAccess(ports, host),
    members: joins.map(({ cluster }) => clusterAccess(ports, cluster)),
  }
  const context: FederationContext = { federation, host: access.host, now: () => ports.clock.now().toISOString() }
  const checks = joins.flatMap(({ membership }, index) => {
    const member = access.members[index]
    return member === undefined ? [] : [memberCheck(ports, subject, context, { membership, member })]
  })
  try {
    return await runChecks([...more(context), ...checks])
  } finally {
    for (const opened of [access.host, ...access.members]) opened.close()
  }
}

/** What creating a federation would make and what would fail, host and members. Stores nothing. */
export const preflightOfCreate = async (
  { ports }: Pick<KeysRequest, 'ports'>,
  { given, federation, memberships }: FederationPlan,
): Promise<ApiResponse> => {
  const { driver, host } = given
  const joins = memberships.flatMap((membership, index) => {
    const cluster = given.members[index]
    return cluster === undefined ? [] : [{ cluster, membership }]
  })
  const told = await preflight(ports, { federation, driver, host, joins }, (context) => [
    { cluster: host, run: async () => driver.checkHost(context) },
  ])
  return dryRunAnswer(withoutId(told, federation.id))
}

/** Clusters of the memberships that would end, by id; one that is no longer registered is left out. */
const leavingClusters = async ({ stores }: Ports, leaves: readonly LeaveStep[]): Promise<Map<string, Cluster>> => {
  const [first] = leaves
  if (first === undefined) return new Map()
  const ids = leaves.map(({ before }) => before.clusterId)
  const clusters = await stores.clusters.getMany(first.before.projectId, ids)
  return new Map(clusters.map((cluster) => [cluster.id, cluster]))
}

type PatchSubject = Omit<Subject, 'joins'> & { steps: readonly MembershipStep[]; force: boolean }

/** The same for the membership changes of a federation that is there, with what would be removed. */
export const preflightOfPatch = async (
  { ports }: Pick<KeysRequest, 'ports'>,
  { steps, force, ...subject }: PatchSubject,
): Promise<ApiResponse> => {
  const { driver, host } = subject
  const joins = steps.flatMap((step) =>
    step.kind === 'join' ? [{ cluster: step.cluster, membership: step.next }] : [],
  )
  const leaves = steps.filter((step) => step.kind !== 'join')
  const clusters = await leavingClusters(ports, leaves)
  const needed = driver.capabilities.usesKubernetesApi ? leaves.filter(({ kind }) => kind === 'unjoin') : []
  const members = needed.flatMap(({ before }) => clusters.get(before.clusterId) ?? [])
  const reached = needed.length === 0 ? [] : [host, ...members.filter(({ id }) => id !== host.id)]
  const told = await preflight(ports, { ...subject, joins }, () =>
    reached.map((cluster) => reachCheck(ports, cluster, force)),
  )
  return dryRunAnswer(
    told,
    leaves.flatMap((step) => removalsOf(step, clusters.get(step.before.clusterId))),
  )
}
