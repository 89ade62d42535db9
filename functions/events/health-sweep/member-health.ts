import type { Cluster } from '../../domain/cluster.ts'
import type { Membership } from '../../domain/membership.ts'
import { untilNoConflict } from '../../operations/conflict.ts'
import { memberEvent } from '../../operations/events.ts'
import { refreshMembersReady } from '../../operations/settle.ts'
import type { Ports } from '../../runtime/ports.ts'

/** Reason of a Degraded membership whose cluster the sweep sees unhealthy. Others' reasons are others' to lift. */
const CLUSTER_UNHEALTHY = 'ClusterUnhealthy'

/** Federations that a cluster is a member of. */
export const memberOf = ({ uses }: Cluster): string[] =>
  uses.filter((use) => use.startsWith('member:')).map((use) => use.slice('member:'.length))

const after = (
  membership: Membership,
  healthy: boolean,
  { now, why }: { now: string; why: string },
): Membership | undefined => {
  if (!healthy && membership.state === 'Ready') {
    return { ...membership, state: 'Degraded', since: now, reason: CLUSTER_UNHEALTHY, message: why }
  }
  if (!healthy || membership.state !== 'Degraded' || membership.reason !== CLUSTER_UNHEALTHY) return undefined
  const { reason: _, message: __, ...rest } = membership
  return { ...rest, state: 'Ready', since: now }
}

const moveOne = (
  ports: Ports,
  key: { projectId: string; federationId: string; clusterId: string },
  seen: { healthy: boolean; why: string },
) =>
  untilNoConflict(async (): Promise<boolean> => {
    const membership = await ports.stores.memberships.get(key)
    const next = membership && after(membership, seen.healthy, { now: ports.clock.now().toISOString(), why: seen.why })
    if (membership === undefined || next === undefined) return false
    await ports.stores.commit([
      ports.stores.memberships.replace(membership, next),
      memberEvent(ports, membership, {
        action: 'update',
        outcome: seen.healthy ? 'success' : 'failure',
        reason: seen.healthy ? 'ClusterHealthy' : CLUSTER_UNHEALTHY,
        message: seen.healthy ? `${membership.memberName} is healthy again.` : seen.why,
      }),
    ])
    return true
  })

/**
 * Takes a cluster's change of health to its memberships: Ready ↔ Degraded. Before the cluster's own health is stored: after a crash
 * in between, the next look makes the same change again.
 */
export const moveMembers = async (
  ports: Ports,
  cluster: Cluster,
  seen: { healthy: boolean; why: string },
): Promise<void> => {
  for (const federationId of memberOf(cluster)) {
    const moved = await moveOne(ports, { projectId: cluster.projectId, federationId, clusterId: cluster.id }, seen)
    if (moved) await refreshMembersReady(ports, { projectId: cluster.projectId, id: federationId })
  }
}
