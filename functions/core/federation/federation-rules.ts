import type { FederationDriverDescription } from '../../drivers/contract/federation-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { ClusterNotUsable } from '../../store/errors.ts'
import type { Stores } from '../../store/stores.ts'
import type { Cluster } from '../cluster/cluster.ts'
import { IN_OWN_PROJECT, InvalidRequest, notFound, StateConflict } from '../errors.ts'
import { isLive } from '../grant/grant.ts'
import { findUsed, memberClusterKey, type UsedCluster } from '../grant/loans.ts'
import type { Membership } from '../membership/membership.ts'
import { MEMBERSHIP_CHANGES_MAX } from '../operation/deadlines.ts'
import type { DesiredWorkloads } from '../operation/operation.ts'
import { atHandFirst, retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { TablePorts } from '../ports.ts'
import { listInWords, quote } from '../values/wording.ts'
import type { Federation } from './federation.ts'

/** Of another project's cluster only what its grant says. */
const nameOf = ({ id, name, grant }: Pick<UsedCluster, 'id' | 'name' | 'grant'>): string =>
  `${quote(grant?.clusterName ?? name)} (${id})`

/** What keeps a cluster of another project from being used is its owner's to see. */
const withheld = (cluster: UsedCluster): string =>
  `Cluster ${nameOf(cluster)} of another project can't be used by this federation now. Ask those who gave the grant.`

const RETRY = 'Its "status_reason" tells why; PATCH replace /kubeconfig retries the registration.'

/** Nothing of a federation goes into another cluster that answers in its place. @throws ClusterNotUsable */
const requireNotReplaced = (cluster: UsedCluster, as: 'host' | 'member'): void => {
  if (!cluster.observation?.isOther) return
  if (cluster.grant !== undefined) throw new ClusterNotUsable(withheld(cluster))
  throw new ClusterNotUsable(
    `Cluster ${nameOf(cluster)} is quarantined, so it can't be ${as}: another cluster answers in its place. Have the registered one answer there again, or PATCH replace /kubeconfig with that of where it is now.`,
  )
}

/** Settled, or settled once and being changed; the store asks the same again in the transaction. @throws ClusterNotUsable */
export const requireUsable = (cluster: UsedCluster, as: 'host' | 'member'): void => {
  const { status } = cluster
  requireNotReplaced(cluster, as)
  if (status === 'CREATE_COMPLETE' || status.startsWith('UPDATE_')) return
  if (cluster.grant !== undefined) throw new ClusterNotUsable(withheld(cluster))
  if (status === 'CREATE_IN_PROGRESS') {
    throw new ClusterNotUsable(
      `Cluster ${nameOf(cluster)} is ${status}, so it can't be ${as} yet: wait for CREATE_COMPLETE and try again. ` +
        `GET /v1/clusters/${cluster.id} shows its "status".`,
    )
  }
  const remedy = status === 'CREATE_FAILED' ? ` ${RETRY}` : ''
  throw new ClusterNotUsable(
    `Cluster ${nameOf(cluster)} can't be ${as} of a federation while it is ${status}; it must be CREATE_COMPLETE.${remedy}`,
  )
}

/** Federation drivers that such clusters do for. */
const wayWithout = (drivers: DriverDescriptions): string => {
  const others = drivers.federation.list().filter(({ capabilities }) => !capabilities.usesKubernetesApi)
  if (others.length === 0) return 'Register a cluster that has one.'
  const named = listInWords(
    others.map(({ id }) => `"driver": ${quote(id)}`),
    5,
  )
  return `A federation with ${named} takes such clusters; else register a cluster that has one.`
}

/**
 * A federation driver that talks to clusters needs clusters that can be talked to.
 *
 * @param what how the sentence begins. Default: the cluster by its name
 * @throws InvalidRequest
 */
export const requireReachableKind = (
  driver: FederationDriverDescription,
  drivers: DriverDescriptions,
  cluster: UsedCluster,
  what = `Cluster ${nameOf(cluster)} of driver ${cluster.driver}`,
): void => {
  if (!driver.capabilities.usesKubernetesApi) return
  const { capabilities, federationFault } = drivers.cluster.resolve(cluster.driver)
  const fault = federationFault?.(cluster)
  if (fault === undefined && capabilities.kubernetesApi) return
  if (cluster.grant !== undefined) throw new InvalidRequest(withheld(cluster))
  if (fault !== undefined) throw new InvalidRequest(fault)
  throw new InvalidRequest(
    `${what} has no Kubernetes API, which the federation driver ${driver.id} needs. ${wayWithout(drivers)}`,
  )
}

/** @throws InvalidRequest when the host would be its own member and the driver can't do that */
export const requireHostMayJoin = (driver: FederationDriverDescription, hostId: string, cluster: Cluster): void => {
  if (cluster.id !== hostId || driver.capabilities.hostAsMember) return
  throw new InvalidRequest(
    `Cluster ${nameOf(cluster)} is the federation's host; the driver ${driver.id} can't have the host as a member.`,
  )
}

/** The owner of a cluster decides about rules, so it must be as fedplane wrote it. One of another project is checked by the flow, with that project's key. @throws ItemAltered */
export const requireIntactOwn = async (
  { integrity }: Pick<Stores, 'integrity'>,
  clusters: readonly UsedCluster[],
): Promise<void> => {
  const own = clusters.filter(({ grant }) => grant === undefined)
  await Promise.all(own.map((cluster) => integrity.requireCluster(cluster)))
}

/**
 * A cluster may be registered in several projects; in one federation it is once. Within a project its uid is reserved, so that this is asked of
 * federations with clusters of several projects.
 *
 * @param members clusters that are members already
 * @throws StateConflict
 */
export const requireRegisteredOnce = ({
  driver,
  host,
  joins,
  members,
}: {
  driver: FederationDriverDescription
  host: Cluster
  joins: readonly UsedCluster[]
  members: readonly Cluster[]
}): void => {
  const projects = new Set([host, ...joins, ...members].map(({ projectId }) => projectId))
  if (projects.size === 1) return
  const same = (one: Cluster, other: Cluster): boolean =>
    one.id !== other.id && one.identity !== null && one.identity.uid === other.identity?.uid
  for (const [index, cluster] of joins.entries()) {
    const others = [...members, ...joins.slice(0, index)]
    const twin = others.find((other) => same(cluster, other))
    if (twin !== undefined) {
      throw new StateConflict(
        `Cluster ${nameOf(cluster)} is the same Kubernetes cluster as ${twin.id}, registered in another project. A federation has a cluster once: unjoin one before the other joins.`,
      )
    }
    if (same(cluster, host) && !driver.capabilities.hostAsMember) {
      throw new StateConflict(
        `Cluster ${nameOf(cluster)} is the same Kubernetes cluster as the federation's host ${host.id}, registered in another project; the driver ${driver.id} can't have the host as a member.`,
      )
    }
  }
}

/** What a join of another project's cluster writes besides, in memberships: its grant is half of one. */
const weightOf = (clusters: readonly UsedCluster[]): number =>
  Math.ceil(clusters.filter(({ grant }) => grant !== undefined).length / 2)

/** As `requireChangesFit`, once it is known whose clusters they are. @throws InvalidRequest */
export const requireLoansFit = (joins: readonly UsedCluster[], others = 0): void => {
  if (joins.length + others + weightOf(joins) <= MEMBERSHIP_CHANGES_MAX) return
  throw new InvalidRequest(
    `The request would join ${joins.length} clusters, some of other projects, of which two count as three; at most ${MEMBERSHIP_CHANGES_MAX} are allowed at once. Send several requests.`,
  )
}

/** One request may change so many memberships (one transaction). @throws InvalidRequest */
export const requireChangesFit = (count: number): void => {
  if (count <= MEMBERSHIP_CHANGES_MAX) return
  throw new InvalidRequest(
    `The request would change ${count} memberships; at most ${MEMBERSHIP_CHANGES_MAX} are allowed at once. Send several requests.`,
  )
}

/** @throws InvalidRequest naming the cluster that is there twice, be it once by name and once by id */
export const requireDistinct = (clusters: readonly Pick<Cluster, 'id' | 'name'>[], where: string): void => {
  const twice = clusters.find((cluster, index) => clusters.findIndex(({ id }) => id === cluster.id) !== index)
  if (twice !== undefined)
    throw new InvalidRequest(`${where} names the cluster ${quote(twice.name)} (${twice.id}) twice.`)
}

/** A federation as far as it takes rights in clusters: with the properties that it is to have. */
export type Using = {
  federation: Pick<Federation, 'projectId' | 'userId' | 'properties'> & Partial<Pick<Federation, 'id'>>
  driver: FederationDriverDescription
  /** The cluster joins: the rule of the federation's side is asked, too. */
  joins?: true
  /** What the federation brought into the cluster is deleted from it. */
  clears?: true
}

/** Asks the policy whether the caller may have a federation use a cluster. @throws PolicyForbids */
export type RequireUse = (cluster: UsedCluster, side: 'host' | 'member', using: Using) => void

type Clearing = { driver: FederationDriverDescription; federation: Federation; leaving: readonly Membership[] }

/**
 * An unjoin that deletes workloads acts in the member with the rights of a join: it takes the consent of the cluster's side, by a grant that is not over. A
 * cluster that is no longer registered is not opened, so that nothing is asked.
 *
 * @throws PolicyForbids naming rule and side, ItemAltered
 */
export const requireClearing = async (
  { stores, clock }: Pick<TablePorts, 'stores' | 'clock'>,
  requireUse: RequireUse,
  { driver, federation, leaving }: Clearing,
): Promise<void> => {
  const now = clock.now().toISOString()
  for (const membership of leaving) {
    const { loan } = membership
    const key = memberClusterKey(membership)
    const used = await findUsed(stores, federation, { ...key, loan })
    const found = used ?? (loan && (await stores.clusters.get(key)))
    if (found === undefined) continue
    const { grant, ...cluster } = found as UsedCluster
    const isCovered = grant !== undefined && isLive(grant, now) && grant.actions.includes('join')
    if (loan === undefined) await stores.integrity.requireCluster(cluster)
    requireUse(isCovered ? { ...cluster, grant } : cluster, 'member', { driver, federation, clears: true })
  }
}

/**
 * Decides on a federation as its caller saw it, and when that has changed meanwhile, on what it is then.
 *
 * @throws ObjectNotVisible when it is gone by then
 */
export const decideOn = <T>(
  { federations }: Pick<Stores, 'federations'>,
  seen: Federation,
  decide: (federation: Federation) => Promise<T>,
): Promise<T> => {
  const read = atHandFirst<Federation | undefined>(seen, () => federations.get(seen))
  return retryOnConflict(async () => {
    const federation = await read()
    if (federation === undefined) throw notFound('Federation', seen.id, IN_OWN_PROJECT)
    return decide(federation)
  })
}

/** @throws InvalidRequest where the driver brings no workloads into members, so that there is nothing to keep or delete */
export const requireWorkloads = (
  { id, capabilities }: Pick<FederationDriverDescription, 'id' | 'capabilities'>,
  desired: DesiredWorkloads,
): void => {
  if (desired === undefined || capabilities.workloads) return
  throw new InvalidRequest(
    `"workloads" has no meaning for this federation: its driver ${id} brings no workloads into members. Leave it out.`,
  )
}
