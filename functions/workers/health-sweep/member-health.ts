import type { Cluster, ClusterObservation } from '../../core/cluster/cluster.ts'
import { refreshMembersReady } from '../../core/federation/settle.ts'
import type { Ports } from '../../core/ports.ts'
import { memberFault, planeFault } from './member-verdict.ts'
import { moveMember } from './move-member.ts'

/** Federations that a cluster is a member of. */
export const memberOf = ({ uses }: Cluster): string[] =>
  uses.filter((use) => use.startsWith('member:')).map((use) => use.slice('member:'.length))

/**
 * Takes a cluster's change of health to its memberships: Ready ↔ Degraded. Before the cluster's own health is stored: after a crash
 * in between, the next look makes the same change again.
 */
export const moveMembers = async (ports: Ports, cluster: Cluster, seen: ClusterObservation): Promise<void> => {
  const { projectId, id: clusterId } = cluster
  for (const federationId of memberOf(cluster)) {
    const federation = await ports.stores.federations.get({ projectId, id: federationId })
    const fault = memberFault(seen, planeFault(federation?.observation ?? null, clusterId))
    const isMoved = await moveMember(ports, { projectId, federationId, clusterId }, { fault })
    if (isMoved) await refreshMembersReady(ports, { projectId, id: federationId })
  }
}
