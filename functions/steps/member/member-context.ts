import type { Federation } from '../../domain/federation.ts'
import type { Membership } from '../../domain/membership.ts'
import type { Secret } from '../../domain/secret.ts'
import type { MemberContext } from '../../drivers/contract/federation-driver.ts'
import { clusterAccess, goneClusterAccess, type OpenClusterAccess } from '../../operations/cluster-access.ts'
import type { StepPorts } from '../step.ts'

/** How a step reads the member's token: stored, or renewed. */
export type TokenOf = (ports: StepPorts, membership: Membership) => Promise<Secret | undefined>

/** A way to a member's cluster, and whether that is registered still: if not, nothing in it can be reached ever again. */
export const memberAccess = async (
  ports: StepPorts,
  { projectId, clusterId, memberName }: Membership,
): Promise<{ access: OpenClusterAccess; known: boolean }> => {
  const cluster = await ports.stores.clusters.get({ projectId, id: clusterId })
  return cluster === undefined
    ? { access: goneClusterAccess({ projectId, id: clusterId, name: memberName }), known: false }
    : { access: clusterAccess(ports, cluster), known: true }
}

export type MemberParts = {
  federation: Federation
  host: OpenClusterAccess
  member: OpenClusterAccess
  membership: Membership
  tokenOf: TokenOf
}

/** Context of a driver's functions for one member. */
export const memberContext = (
  ports: StepPorts,
  { federation, host, member, membership, tokenOf }: MemberParts,
): MemberContext => ({
  federation,
  host,
  membership,
  member,
  memberToken: () => tokenOf(ports, membership),
  connect: ports.connect,
  now: () => ports.clock.now().toISOString(),
})
