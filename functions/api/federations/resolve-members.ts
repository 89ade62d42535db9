import type { Cluster } from '../../domain/cluster.ts'
import type { Federation } from '../../domain/federation.ts'
import { isUuid, looksLikeUuid } from '../../domain/ids.ts'
import type { Membership } from '../../domain/membership.ts'
import { ObjectNotVisible } from '../errors.ts'
import { ambiguous, find } from '../lookup.ts'
import { quote } from '../quote.ts'
import type { ApiRequest } from '../route.ts'
import type { MemberWish } from './federation-patch.ts'

type Request = Pick<ApiRequest, 'ports' | 'principal'>

/** A federation with all its memberships, as they were read. */
export type Membered = { federation: Federation; memberships: readonly Membership[] }

const noMember = ({ federation }: Membered, ident: string): ObjectNotVisible =>
  new ObjectNotVisible(
    `Cluster ${quote(ident)} is no member of the federation ${quote(federation.name)} (${federation.id}).`,
  )

/**
 * The membership of a cluster by its id or name, or by its name at the control plane. The cluster itself need not be there any more.
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
  const ids = await request.ports.stores.clusters.findByName(request.principal.projectId, ident)
  if (ids.length > 1) throw ambiguous('Cluster', ident, ids)
  const membership = byId(ids[0]) ?? memberships.find(({ memberName }) => memberName === ident)
  if (membership === undefined) throw noMember(membered, ident)
  return membership
}

/** What a wish comes to: clusters to join and memberships to end. */
export type MemberTargets = { join: Cluster[]; leave: Membership[] }

const EXACT_STAYS: readonly Membership['state'][] = ['Waiting', 'Joining', 'Ready', 'Degraded', 'UnjoinFailed']

/** Those listed that are not members join; members that are not listed leave. A failed join that is not listed stays on record. */
const exactTargets = (clusters: readonly Cluster[], memberships: readonly Membership[]): MemberTargets => {
  const listed = new Set(clusters.map(({ id }) => id))
  const staying = new Set(
    memberships.filter(({ state }) => EXACT_STAYS.includes(state)).map(({ clusterId }) => clusterId),
  )
  return {
    join: clusters.filter(({ id }) => !staying.has(id)),
    leave: memberships.filter(({ clusterId }) => staying.has(clusterId) && !listed.has(clusterId)),
  }
}

/** Looks up every cluster that a wish names. @throws ObjectNotVisible, NameAmbiguous */
export const resolveTargets = async (
  request: Request,
  membered: Membered,
  wish: MemberWish | null,
): Promise<MemberTargets> => {
  const { ports, principal } = request
  const cluster = (ident: string): Promise<Cluster> =>
    find(ports.stores.clusters, 'Cluster', principal.projectId, ident)
  if (wish === null) return { join: [], leave: [] }
  if ('exactly' in wish) return exactTargets(await Promise.all(wish.exactly.map(cluster)), membered.memberships)
  return {
    join: await Promise.all(wish.add.map(cluster)),
    leave: await Promise.all(wish.remove.map((ident) => findMembership(request, membered, ident))),
  }
}
