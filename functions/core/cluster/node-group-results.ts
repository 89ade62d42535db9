import type { NodeGroupResult } from '../../drivers/contract/cluster-driver.ts'
import type { Write } from '../../store/write.ts'
import type { Ports } from '../ports.ts'
import { changesOf } from './changes.ts'
import type { Cluster, ClusterChange } from './cluster.ts'
import type { NodeGroup, NodeGroupChange } from './node-group.ts'
import { sumsOf } from './node-group-writes.ts'
import { groupsAfter, isAwaited } from './task-groups.ts'

/**
 * A count that came out otherwise than asked for is what was reached; it is also what is shown, unless the group's next change waits and
 * shows its own. Counts on the way are none of that.
 */
const countChange = (cluster: Cluster, group: NodeGroup, count: number | undefined): NodeGroupChange => {
  if (count === undefined) return {}
  return isAwaited(cluster.queue, group) ? { reachedCount: count } : { nodeCount: count, reachedCount: count }
}

const changeOf = (
  cluster: Cluster,
  group: NodeGroup,
  reported: NodeGroupResult | undefined,
  done: boolean,
): NodeGroupChange =>
  reported === undefined
    ? {}
    : changesOf<NodeGroupChange>(group, {
        ...(done ? countChange(cluster, group, reported.nodeCount) : {}),
        ...(reported.nodeAddresses && { nodeAddresses: reported.nodeAddresses }),
        ...(reported.version !== undefined && { version: reported.version }),
      })

/** What a driver told of a cluster's node groups. */
export type ReportedGroups = {
  /** As they are stored. */
  groups: readonly NodeGroup[]
  reported: readonly NodeGroupResult[]
  /** False while a phase goes on: counts on the way are no results. */
  done: boolean
  /** Groups to change at most; those beyond are for the next time. Default: all. */
  max?: number
}

/** What a driver told of the node groups, as writes, with the cluster's sums that go with them. Groups that are gone are passed over. */
export const reportedGroups = (
  { stores }: Pick<Ports, 'stores'>,
  cluster: Cluster,
  { groups, reported, done, max = Number.POSITIVE_INFINITY }: ReportedGroups,
): { change: ClusterChange; writes: Write[] } => {
  const changed = groups
    .map((group) => ({
      group,
      change: changeOf(
        cluster,
        group,
        reported.find(({ id }) => id === group.id),
        done,
      ),
    }))
    .filter(({ change }) => Object.keys(change).length > 0)
    .slice(0, max)
  if (changed.length === 0) return { change: {}, writes: [] }
  return {
    change: sumsOf(cluster, groupsAfter(groups, { changed, removed: [] })),
    writes: changed.map(({ group, change }) => stores.nodeGroups.change(group, change)),
  }
}
