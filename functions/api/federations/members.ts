import type { Cluster } from '../../core/cluster/cluster.ts'
import { isManagementCluster } from '../../core/cluster/management.ts'
import { IN_OWN_PROJECT, notFound, ObjectNotVisible } from '../../core/errors.ts'
import { type RequireUse, requireChangesFit, type Using } from '../../core/federation/federation-rules.ts'
import { type Grant, includesRights } from '../../core/grant/grant.ts'
import { type Borrower, findLent, memberClusterKey, type UsedCluster } from '../../core/grant/loans.ts'
import { mapLimited } from '../../core/map-limited.ts'
import type { Membership } from '../../core/membership/membership.ts'
import type { Membered, MemberTargets } from '../../core/membership/plan-members.ts'
import type { RightsLevel } from '../../core/values/identity.ts'
import { isUuid, looksLikeUuid } from '../../core/values/ids.ts'
import { quote } from '../../core/values/wording.ts'
import { type FederationRights, rightsTaken } from '../../drivers/contract/federation-driver-description.ts'
import type { ClusterUseContext, MemberContext, PolicyObject } from '../../policy/rules.ts'
import { NameAmbiguous, type PolicyForbids } from '../errors.ts'
import { seekLocated } from '../lookup.ts'
import { type Asker, isAllowed, ownScope, policyForbids, requireRoleRule } from '../policy.ts'
import type { ApiRequest } from '../route.ts'
import type { DesiredMember } from './federation.schema.ts'

type Request = Pick<ApiRequest, 'ports' | 'principal'>

const noMember = ({ federation }: Membered, ident: string): ObjectNotVisible =>
  new ObjectNotVisible(
    `Cluster ${quote(ident)} is no member of the federation ${quote(federation.name)} (${federation.id}).`,
  )

/** A cluster was renamed or is gone, and another one has its name by now. */
const nameOfTwo = (ident: string, membership: Membership, cluster: Cluster): NameAmbiguous =>
  new NameAmbiguous(
    `The federation knows the cluster ${membership.clusterId} by the name ${quote(ident)}, and the cluster ${cluster.id} has that name now. Use the id of the one that you mean.`,
  )

/**
 * The membership of a cluster by its id or name, or by its name at the control plane, which lists show. The cluster itself need not be there any
 * more. A name that leads to two is refused: a member that was renamed keeps its name at the control plane.
 *
 * @throws ObjectNotVisible, NameAmbiguous
 */
export const findMembership = async (request: Request, membered: Membered, ident: string): Promise<Membership> => {
  const { memberships } = membered
  const byId = (id: string | undefined): Membership | undefined => memberships.find(({ clusterId }) => clusterId === id)
  if (looksLikeUuid(ident)) {
    const membership = isUuid(ident) ? byId(ident) : undefined
    if (membership === undefined) throw noMember(membered, ident)
    return membership
  }
  const cluster = await seekLocated(request.ports.stores.clusters, 'Cluster', ownScope(request), ident)
  const own = byId(cluster?.id)
  const known = memberships.find(({ memberName }) => memberName === ident)
  if (cluster !== undefined && known !== undefined && known.clusterId !== cluster.id)
    throw nameOfTwo(ident, known, cluster)
  const membership = own ?? known
  if (membership === undefined) throw noMember(membered, ident)
  return membership
}

const EXACT_STAYS: readonly Membership['state'][] = ['Waiting', 'Joining', 'Ready', 'Degraded', 'UnjoinFailed']

/** Ids of the memberships that count when exactly these are to be members. */
const stayingIn = ({ memberships }: Membered): Map<string, Membership> =>
  new Map(memberships.filter(({ state }) => EXACT_STAYS.includes(state)).map((one) => [one.clusterId, one]))

/**
 * A cluster that a federation is to use: by id or name in the own project, and by id in another one that gave a grant for it. Any other id is
 * answered as one that nobody has.
 *
 * @throws ObjectNotVisible, NameAmbiguous
 */
export const findUsable = async (
  request: Request,
  borrower: Borrower,
  ident: string,
  side: Side,
): Promise<UsedCluster> => {
  const { ports } = request
  const own = await seekLocated(ports.stores.clusters, 'Cluster', ownScope(request), ident)
  const found = own ?? (isUuid(ident) ? await findLent(ports, borrower, { clusterId: ident, side }) : undefined)
  if (found === undefined) throw notFound('Cluster', ident, IN_OWN_PROJECT)
  return found
}

/** Looks up one cluster. @throws ObjectNotVisible, NameAmbiguous */
type Lookup = (ident: string) => Promise<UsedCluster>

/** Those listed that are not members join; members that are not listed leave. A failed join that is not listed stays on record. */
const exactTargets = async (lookup: Lookup, membered: Membered, idents: readonly string[]): Promise<MemberTargets> => {
  const staying = stayingIn(membered)
  const clusters = await mapLimited(
    idents.filter((ident) => !staying.has(ident)),
    lookup,
  )
  const listed = new Set([...idents, ...clusters.map(({ id }) => id)])
  return {
    join: clusters.filter(({ id }) => !staying.has(id)),
    leave: [...staying.values()].filter(({ clusterId }) => !listed.has(clusterId)),
  }
}

/** Looks up every cluster that a request names. @throws ObjectNotVisible, NameAmbiguous, InvalidRequest for too many */
export const resolveTargets = async (
  request: Request,
  membered: Membered,
  desired: DesiredMember | null,
): Promise<MemberTargets> => {
  const lookup: Lookup = (ident) => findUsable(request, membered.federation, ident, 'member')
  if (desired === null) return { join: [], leave: [] }
  if ('exactly' in desired) return exactTargets(lookup, membered, desired.exactly)
  requireChangesFit(desired.add.length + desired.remove.length)
  return {
    join: await mapLimited(desired.add, lookup),
    leave: await mapLimited(desired.remove, (ident) => findMembership(request, membered, ident)),
  }
}

/** As what a federation uses a cluster. */
type Side = keyof FederationRights

const RULES = { host: 'cluster:host', member: 'cluster:join' } as const

const rightsOf = ({ driver, federation }: Using): FederationRights => rightsTaken(driver, federation.properties)

const contextOf = (using: Using, side: Side, { grant }: UsedCluster): ClusterUseContext => {
  const { driver, federation } = using
  const { id, projectId, userId } = federation
  return {
    driver: driver.id,
    rights: rightsOf(using)[side],
    federation: { ...(id && { id }), projectId, userId },
    ...(grant && { grant: { id: grant.id, actions: grant.actions, rights: grant.rights } }),
  }
}

const inWords = (rights: RightsLevel): string =>
  rights === 'more' ? 'rights beyond the ClusterRole "edit"' : `the rights of the ClusterRole "${rights}"`

const REMEDY =
  ' Only whoever registered or created the cluster may give those, and an administrator: ask one of them to send the request.'

const refusal = (asker: Asker, cluster: Cluster, side: Side, use: ClusterUseContext): PolicyForbids =>
  policyForbids(
    asker,
    RULES[side],
    ` on cluster ${quote(cluster.name)} (${cluster.id}): as ${side} of a federation of ${use.driver} it would give ${inWords(use.rights)}.${use.rights === 'more' ? REMEDY : ''}`,
  )

/** Of a cluster of another project: what its grant lacks. */
const refusalByGrant = (
  asker: Asker,
  grant: Grant,
  side: Side,
  { driver, rights }: ClusterUseContext,
): PolicyForbids => {
  const lacks = includesRights(grant.rights, rights)
    ? ''
    : ` The grant ${grant.id} gives ${inWords(grant.rights)} only: ask its project for one with "rights": "${rights}".`
  return policyForbids(
    asker,
    RULES[side],
    ` on cluster ${quote(grant.clusterName)} (${grant.clusterId}) of another project: as ${side} of a federation of ${driver} it would give ${inWords(rights)}.${lacks}`,
  )
}

/** For an unjoin, or a deletion, that deletes workloads. A grant that is over covers nothing, for administrators neither. @throws PolicyForbids */
const requireClear = (asker: Asker, cluster: UsedCluster, using: Using): void => {
  const { id, projectId, userId, grant } = cluster
  const use = contextOf(using, 'member', cluster)
  const isOver = grant === undefined && projectId !== using.federation.projectId
  if (!isOver && isAllowed(asker, 'cluster:join', { id, projectId, userId }, use)) return
  throw policyForbids(
    asker,
    'cluster:join',
    `, on the side of the cluster: "workloads=delete" deletes in cluster ${id} with ${inWords(use.rights)}, which a federation of ${use.driver} has there.${isOver ? ' The grant by which the federation uses it is over.' : ''} Leave "workloads" out, and they stay.`,
  )
}

/** As `requireRoleRule`, for a cluster of whose role the caller learns nothing. @throws PolicyForbids */
const requireLentRole = (asker: Asker, cluster: Cluster, grant: Grant): void => {
  const { projectId, userId } = cluster
  const rule = 'cluster:set_management'
  if (!isManagementCluster(cluster) || isAllowed(asker, rule, { projectId, userId })) return
  throw policyForbids(
    asker,
    rule,
    ` on cluster ${quote(grant.clusterName)} (${grant.clusterId}) of another project: only an administrator uses it in a federation.`,
  )
}

/** Asks on the federation's side. @throws PolicyForbids naming rule and side */
const requireMemberRule = (asker: Asker, rule: 'federation:join' | 'federation:unjoin', about: About): void => {
  const { using, cluster, named } = about
  const context: MemberContext = { driver: using.driver.id, rights: rightsOf(using).member, cluster }
  if (isAllowed(asker, rule, using.federation, context)) return
  throw policyForbids(asker, rule, `, on the side of the federation: cluster ${quote(named)} is what it is asked for.`)
}

type About = { using: Using; cluster: PolicyObject; named: string }

/** Asks whether the caller may take a member out of a federation. @throws PolicyForbids */
export const requireUnjoinOf =
  (asker: Asker) =>
  (membership: Membership, using: Using): void => {
    const { id, projectId } = memberClusterKey(membership)
    requireMemberRule(asker, 'federation:unjoin', { using, cluster: { id, projectId }, named: membership.memberName })
  }

/**
 * Asks whether the caller may have a federation use a cluster, with the rights that its driver takes there; of a cluster that has a role, also
 * for the right to change that role. Of one that joins the federation's side is asked, too.
 *
 * @throws PolicyForbids naming rule, side and rights
 */
export const requireUseOf =
  (asker: Asker): RequireUse =>
  (cluster, side, using) => {
    if (using.clears) return requireClear(asker, cluster, using)
    const { id, projectId, userId, grant } = cluster
    if (grant === undefined) requireRoleRule(asker, cluster)
    else requireLentRole(asker, cluster, grant)
    if (using.joins) {
      const named = grant?.clusterName ?? cluster.name
      requireMemberRule(asker, 'federation:join', { using, cluster: { id, projectId, userId }, named })
    }
    const use = contextOf(using, side, cluster)
    if (isAllowed(asker, RULES[side], { id, projectId, userId }, use)) return
    throw grant === undefined ? refusal(asker, cluster, side, use) : refusalByGrant(asker, grant, side, use)
  }
