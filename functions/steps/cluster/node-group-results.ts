import type { Cluster, ClusterChange } from '../../domain/cluster.ts'
import type { NodeGroup, NodeGroupChange } from '../../domain/node-group.ts'
import { groupsAfter, isAwaited } from '../../domain/task-groups.ts'
import type { ClusterStepResult, NodeGroupResult } from '../../drivers/contract/cluster-driver.ts'
import { sumsOf } from '../../operations/node-group-writes.ts'
import type { Write } from '../../store/write.ts'
import { changesOf } from '../changes.ts'
import type { StepPorts } from '../step.ts'

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
  told: NodeGroupResult | undefined,
  done: boolean,
): NodeGroupChange =>
  told === undefined
    ? {}
    : changesOf<NodeGroupChange>(group, {
        ...(done ? countChange(cluster, group, told.nodeCount) : {}),
        ...(told.nodeAddresses && { nodeAddresses: told.nodeAddresses }),
        ...(told.version !== undefined && { version: told.version }),
      })

/** What a phase told of the node groups, as writes, with the cluster's sums that go with them. Groups that are gone are passed over. */
export const toldOfGroups = async (
  { stores }: StepPorts,
  cluster: Cluster,
  { nodeGroups: told = [], done }: ClusterStepResult,
): Promise<{ change: ClusterChange; writes: Write[] }> => {
  if (told.length === 0) return { change: {}, writes: [] }
  const groups = await stores.nodeGroups.listOf(cluster)
  const changed = groups
    .map((group) => ({
      group,
      change: changeOf(
        cluster,
        group,
        told.find(({ id }) => id === group.id),
        done,
      ),
    }))
    .filter(({ change }) => Object.keys(change).length > 0)
  if (changed.length === 0) return { change: {}, writes: [] }
  return {
    change: sumsOf(cluster, groupsAfter(groups, { changed, removed: [] })),
    writes: changed.map(({ group, change }) => stores.nodeGroups.change(group, change)),
  }
}
