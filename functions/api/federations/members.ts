import type { Cluster } from '../../core/cluster/cluster.ts'
import { ObjectNotVisible } from '../../core/errors.ts'
import { type RequireUse, requireChangesFit, type Using } from '../../core/federation/federation-rules.ts'
import { mapLimited } from '../../core/map-limited.ts'
import type { Membership } from '../../core/membership/membership.ts'
import type { Membered, MemberTargets } from '../../core/membership/plan-members.ts'
import { isUuid, looksLikeUuid } from '../../core/values/ids.ts'
import { quote } from '../../core/values/wording.ts'
import type { FederationRights } from '../../drivers/contract/federation-driver-description.ts'
import type { ClusterUseContext } from '../../policy/rules.ts'
import { NameAmbiguous, type PolicyForbids } from '../errors.ts'
import { locate, seekLocated } from '../lookup.ts'
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
    `The federation knows the cluster ${membership.clusterId} by the name ${quote(ident)}, and the cluster ${cluster.id} has that name but is no member. Use the id of the one that you mean.`,
  )

/**
 * The membership of a cluster by its id or name, or by its name at the control plane unless another cluster has that name by now. The cluster
 * itself need not be there any more.
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
  if (own !== undefined) return own
  const membership = memberships.find(({ memberName }) => memberName === ident)
  if (membership === undefined) throw noMember(membered, ident)
  if (cluster !== undefined) throw nameOfTwo(ident, membership, cluster)
  return membership
}

const EXACT_STAYS: readonly Membership['state'][] = ['Waiting', 'Joining', 'Ready', 'Degraded', 'UnjoinFailed']

/** Ids of the memberships that count when exactly these are to be members. */
const stayingIn = ({ memberships }: Membered): Map<string, Membership> =>
  new Map(memberships.filter(({ state }) => EXACT_STAYS.includes(state)).map((one) => [one.clusterId, one]))

/** Looks up one cluster. @throws ObjectNotVisible, NameAmbiguous */
type Lookup = (ident: string) => Promise<Cluster>

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
  const lookup: Lookup = (ident) => locate(request.ports.stores.clusters, 'Cluster', ownScope(request), ident)
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

/** A driver that does not say what it takes may take everything. */
const rightsOf = ({ driver, federation }: Using): FederationRights =>
  driver.rights?.(federation.properties) ?? { host: 'more', member: 'more' }

const contextOf = (using: Using, side: Side): ClusterUseContext => {
  const { driver, federation } = using
  const { projectId, userId } = federation
  return { driver: driver.id, rights: rightsOf(using)[side], federation: { projectId, userId } }
}

const inWords = ({ rights }: ClusterUseContext): string =>
  rights === 'more' ? 'rights beyond the ClusterRole "edit"' : `the rights of the ClusterRole "${rights}"`

const refusal = (asker: Asker, cluster: Cluster, side: Side, use: ClusterUseContext): PolicyForbids => {
  const remedy =
    use.rights === 'more'
      ? ' Only whoever registered or created the cluster may give those, and an administrator: ask one of them to send the request.'
      : ''
  return policyForbids(
    asker,
    RULES[side],
    ` on cluster ${quote(cluster.name)} (${cluster.id}): as ${side} of a federation of ${use.driver} it would give ${inWords(use)}.${remedy}`,
  )
}

/**
 * Asks whether the caller may have a federation use a cluster, with the rights that its driver takes there; of a cluster that has a role, also
 * for the right to change that role.
 *
 * @throws PolicyForbids naming rule, side and rights
 */
export const requireUseOf =
  (asker: Asker): RequireUse =>
  (cluster, side, using) => {
    const { projectId, userId } = cluster
    requireRoleRule(asker, cluster)
    const use = contextOf(using, side)
    if (!isAllowed(asker, RULES[side], { projectId, userId }, use)) throw refusal(asker, cluster, side, use)
  }
