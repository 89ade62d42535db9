import { clusterAccess, type OpenClusterAccess } from '../../core/access/cluster-access.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import type { NewHost } from '../../core/federation/created-host.ts'
import type { Federation } from '../../core/federation/federation.ts'
import { federationContext } from '../../core/federation/federation-context.ts'
import type { FederationPlan } from '../../core/federation/new-federation.ts'
import { clustersOfMembers, type UsedCluster } from '../../core/grant/loans.ts'
import type { Membership } from '../../core/membership/membership.ts'
import type { MembershipStep } from '../../core/membership/membership-steps.ts'
import type { Ports } from '../../core/ports.ts'
import { shortId } from '../../core/values/ids.ts'
import type { FederationContext, FederationDriver } from '../../drivers/contract/federation-driver.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import {
  type Check,
  type CheckResults,
  type LeaveStep,
  type OpenMember,
  reachCheck,
  removalsOf,
  runChecks,
  updateChecks,
} from './checks.ts'
import { newHostCheck, uncheckedAccess, withoutHost } from './new-host.ts'

/** Stands for the id, whole or short, of a federation that does not exist yet: the real create gives another one each time. */
const PLACEHOLDER = '<federation>'

/** The same without the id that was made up for the observation. */
const withoutId = ({ findings, wouldMake }: CheckResults, federationId: string): CheckResults => {
  const hide = (text: string): string =>
    text.replaceAll(federationId, PLACEHOLDER).replaceAll(shortId(federationId), PLACEHOLDER)
  return {
    findings: findings.map((finding) => ({ ...finding, message: hide(finding.message) })),
    wouldMake: wouldMake.map(hide),
  }
}

/**
 * The answer to `?dry_run=true`, the verdict first. An error among the findings would fail the request, or the joins and unjoins that it
 * begins.
 *
 * @param wouldRemove absent where nothing can be removed
 */
const dryRunAnswer = ({ findings, wouldMake }: CheckResults, wouldRemove?: readonly string[]): ApiResponse => ({
  status: 200,
  body: {
    would_succeed: !findings.some(({ severity }) => severity === 'error'),
    findings: findings.map(({ severity, reason, message, clusterId }) => ({
      severity,
      reason,
      message,
      cluster_id: clusterId,
    })),
    would_make: wouldMake,
    ...(wouldRemove === undefined ? {} : { would_remove: wouldRemove }),
  },
})

type MemberToCheck = { cluster: UsedCluster; membership: Membership }

type Subject = {
  federation: Federation
  driver: FederationDriver
  host: UsedCluster
  /** The host is not there yet. */
  newHost?: NewHost | null
  joins: readonly MemberToCheck[]
}

const memberCheck = ({ driver }: Subject, context: FederationContext, { membership, member }: OpenMember): Check => ({
  cluster: member.cluster,
  run: async () =>
    driver.checkMember({
      ...context,
      membership,
      member,
      memberToken: async () => undefined,
    }),
})

/** Clusters of other projects are opened by flows only, never for a request: what would be seen there is not its caller's to see. */
const notChecked = ({ host, joins }: Subject): CheckResults['findings'] =>
  [host, ...joins.map(({ cluster }) => cluster)].flatMap(({ id, grant }) =>
    grant === undefined
      ? []
      : [
          {
            severity: 'warning' as const,
            reason: 'NotChecked',
            message: `Cluster ${grant.clusterName} (${id}) is another project's and is checked when the change runs.`,
            clusterId: id,
          },
        ],
  )

const preflight = async (
  ports: Ports,
  subject: Subject,
  more: (context: FederationContext, open: (members: readonly MemberToCheck[]) => OpenMember[]) => readonly Check[],
): Promise<CheckResults> => {
  const opened: OpenClusterAccess[] = []
  const opening = (cluster: Cluster): OpenClusterAccess => {
    const access = clusterAccess(ports, cluster)
    opened.push(access)
    return access
  }
  const open = (members: readonly MemberToCheck[]): OpenMember[] =>
    members.map(({ cluster, membership }) => ({ membership, member: opening(cluster) }))
  const unchecked = notChecked(subject)
  // All checks begin in the host.
  if (subject.host.grant !== undefined) return { findings: unchecked, wouldMake: [] }
  try {
    const access = subject.newHost ? uncheckedAccess(subject.host) : opening(subject.host)
    const context = federationContext(ports, subject.federation, access)
    const own = subject.joins.filter(({ cluster }) => cluster.grant === undefined)
    const joins = open(own).map((join) => memberCheck(subject, context, join))
    const { findings, wouldMake } = await runChecks([...more(context, open), ...joins])
    return { findings: [...findings, ...unchecked], wouldMake }
  } finally {
    for (const access of opened) access.close()
  }
}

/** What creating a federation would make and what would fail, host and members. Stores nothing. */
export const preflightOfCreate = async (
  { ports }: Pick<KeysRequest, 'ports'>,
  { given, federation, memberships }: FederationPlan,
): Promise<ApiResponse> => {
  const { driver, host, newHost } = given
  const joins = memberships.flatMap((membership, index) => {
    const cluster = given.members[index]
    return cluster === undefined ? [] : [{ cluster, membership }]
  })
  const told = await preflight(ports, { federation, driver, host, newHost, joins }, (context) => [
    newHost ? newHostCheck(ports, newHost) : { cluster: host, run: async () => driver.checkHost(context) },
  ])
  const seen = newHost ? withoutHost(told, host) : told
  return dryRunAnswer(withoutId(seen, federation.id))
}

/** Clusters of memberships, by id, in the own project; one that is no longer registered is left out. */
const clustersOf = async ({ stores }: Ports, memberships: readonly Membership[]): Promise<Map<string, Cluster>> => {
  const own = memberships.filter(({ loan }) => loan === undefined)
  const clusters = await clustersOfMembers(stores, own)
  return new Map(clusters.map((cluster) => [cluster.id, cluster]))
}

type PatchSubject = Omit<Subject, 'joins'> & {
  steps: readonly MembershipStep[]
  force: boolean
  /** Members that changed properties reach into; null when properties stay. */
  reached: readonly Membership[] | null
}

/** What changed properties meet in host and members. A member that is no longer registered has nothing to say. */
const changeChecks = async (ports: Ports, { driver, reached }: PatchSubject) => {
  const clusters = await clustersOf(ports, reached ?? [])
  const members = (reached ?? []).flatMap((membership) => {
    const cluster = clusters.get(membership.clusterId)
    return cluster === undefined ? [] : [{ cluster, membership }]
  })
  return (context: FederationContext, open: (members: readonly MemberToCheck[]) => OpenMember[]): Check[] =>
    reached === null ? [] : updateChecks(driver, context, open(members))
}

/** Whether host and members that would be left can be reached, for drivers that need them. */
const leaveChecks = (
  ports: Ports,
  leaves: readonly LeaveStep[],
  subject: PatchSubject & { clusters: Map<string, Cluster> },
) => {
  const { driver, host, force, clusters } = subject
  const needed = driver.capabilities.usesKubernetesApi ? leaves.filter(({ kind }) => kind === 'unjoin') : []
  const members = needed.flatMap(({ before }) => clusters.get(before.clusterId) ?? [])
  const reached = needed.length === 0 ? [] : [host, ...members.filter(({ id }) => id !== host.id)]
  return reached.map((cluster) => reachCheck(ports, cluster, force))
}

/** The same for the changes of a federation that is there (`federation` has its new properties), with what would be removed. */
export const preflightOfPatch = async (
  { ports }: Pick<KeysRequest, 'ports'>,
  subject: PatchSubject,
): Promise<ApiResponse> => {
  const { steps } = subject
  const joins = steps.flatMap((step) =>
    step.kind === 'join' ? [{ cluster: step.cluster, membership: step.next }] : [],
  )
  const leaves = steps.filter((step) => step.kind !== 'join')
  const clusters = await clustersOf(
    ports,
    leaves.map(({ before }) => before),
  )
  const changes = await changeChecks(ports, subject)
  const told = await preflight(ports, { ...subject, joins }, (context, open) => [
    ...leaveChecks(ports, leaves, { ...subject, clusters }),
    ...changes(context, open),
  ])
  return dryRunAnswer(
    told,
    leaves.flatMap((step) => removalsOf(step, clusters.get(step.before.clusterId))),
  )
}
