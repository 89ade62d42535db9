import type { MemberContext, MemberObservation } from '../../drivers/contract/federation-driver.ts'
import { goneClusterAccess, intactAccess, namedAccess, type OpenClusterAccess } from '../access/cluster-access.ts'
import { memberTokenKey, nextMemberTokenKey } from '../access/credentials.ts'
import type { AccessPorts } from '../access/open-cluster.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Federation } from '../federation/federation.ts'
import { type FederationContextPorts, federationContext, hostAccess } from '../federation/federation-context.ts'
import { memberClusterKey, requireLent } from '../grant/loans.ts'
import type { Ports } from '../ports.ts'
import type { Secret } from '../values/secret.ts'
import type { Membership, MemberWarning } from './membership.ts'

/** How the member's token is read: stored, or renewed. */
export type TokenOf = (ports: Pick<Ports, 'stores'>, membership: Membership) => Promise<Secret | undefined>

/** The control plane's credential for the member, as stored. */
export const storedToken: TokenOf = (ports, membership) => ports.stores.credentials.get(memberTokenKey(membership))

/** The renewed credential while it is not in use yet; undefined when none is made yet. */
export const nextToken: TokenOf = (ports, membership) => ports.stores.credentials.get(nextMemberTokenKey(membership))

/** A way to a member's cluster, and whether that is registered still: if not, nothing in it can be reached ever again. */
export const memberAccess = async (
  ports: AccessPorts,
  membership: Membership,
): Promise<{ access: OpenClusterAccess; known: boolean }> => {
  const key = memberClusterKey(membership)
  const cluster = await ports.stores.clusters.get(key)
  return cluster === undefined
    ? { access: goneClusterAccess({ ...key, name: membership.memberName }), known: false }
    : { access: await accessToMember(ports, cluster, membership), known: true }
}

/** A way to the registered cluster of a member, once membership, cluster and grant are as fedplane wrote them. */
const accessToMember = async (
  ports: AccessPorts,
  cluster: Cluster,
  membership: Membership,
): Promise<OpenClusterAccess> => {
  const access = await intactAccess(ports, cluster, async () => {
    const { projectId, federationId, clusterId, loan } = membership
    await ports.stores.integrity.requireMembership(membership)
    await requireLent(ports.stores, { projectId, id: federationId }, { clusterId, loan })
  })
  return namedAccess(access, 'Member')
}

type MemberParts = {
  federation: Federation
  host: OpenClusterAccess
  member: OpenClusterAccess
  membership: Membership
  tokenOf: TokenOf
}

/** Context of a driver's functions for one member. */
export const memberContext = (
  ports: FederationContextPorts,
  { federation, host, member, membership, tokenOf }: MemberParts,
): MemberContext => ({
  ...federationContext(ports, federation, host),
  membership,
  member,
  memberToken: () => tokenOf(ports, membership),
})

type Member = { federation: Federation; cluster: Cluster; membership: Membership }

/** Calls a driver's function for a registered member, outside of any flow, and closes what that opened. */
export const withMember = async <T>(
  ports: FederationContextPorts & AccessPorts,
  { federation, cluster, membership }: Member,
  act: (context: MemberContext) => Promise<T>,
): Promise<T> => {
  const host = await hostAccess(ports, federation)
  const member = await accessToMember(ports, cluster, membership)
  try {
    return await act(memberContext(ports, { federation, host, member, membership, tokenOf: storedToken }))
  } finally {
    host.close()
    member.close()
  }
}

/** What the control plane says about a ready member besides that it is ready; null when nothing. */
export const warningOf = ({ reason, message }: Extract<MemberObservation, { state: 'ready' }>): MemberWarning | null =>
  reason === undefined ? null : { reason, message: message ?? '' }
