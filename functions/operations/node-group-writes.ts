import type { Cluster, ClusterChange } from '../domain/cluster.ts'
import { type NodeGroup, nodesOf } from '../domain/node-group.ts'
import type { Status } from '../domain/status.ts'
import type { GroupOutcome } from '../domain/task-groups.ts'
import type { Ports } from '../runtime/ports.ts'
import type { Write } from '../store/write.ts'

type GroupPorts = Pick<Ports, 'stores' | 'clock'>

/** Node groups that one commit may change, with room for what else it writes: a transaction has at most 100 items. */
export const GROUPS_IN_COMMIT = 60

/** Writes what an end makes of node groups. */
export const outcomeWrites = ({ stores, clock }: GroupPorts, { changed, removed }: GroupOutcome): Write[] => {
  const updatedAt = clock.now().toISOString()
  return [
    ...changed.map(({ group, change }) => stores.nodeGroups.change(group, { ...change, updatedAt })),
    ...removed.map((group) => stores.nodeGroups.remove(group)),
  ]
}

/**
 * Sets the status of node groups beside that of their cluster, without a reason: all of them, as far as one commit goes. What goes beyond
 * is set by the operation's end.
 */
export const markedGroups = (ports: GroupPorts, groups: readonly NodeGroup[], status: Status): Write[] =>
  outcomeWrites(ports, {
    changed: groups.slice(0, GROUPS_IN_COMMIT).map((group) => ({ group, change: { status, statusReason: null } })),
    removed: [],
  })

/** The sums that go with groups as they will be; none for clusters whose nodes are only counted. */
export const sumsOf = (cluster: Cluster, groups: readonly NodeGroup[]): ClusterChange =>
  cluster.nodes === null ? {} : { nodes: nodesOf(groups) }
