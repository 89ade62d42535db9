import { ownerEvent } from '../operation/events.ts'
import type { Ports } from '../ports.ts'
import type { Cluster } from './cluster.ts'
import { nodeGroupOf } from './cluster-task.ts'
import type { NodeGroup } from './node-group.ts'
import { sumsOf } from './node-group-writes.ts'

type DropPorts = Pick<Ports, 'stores' | 'clock' | 'newId'>

/** True for a node group of which nothing is made yet: its creation waits for its turn. */
export const isOnlyAskedFor = ({ queue }: Cluster, { id }: NodeGroup): boolean =>
  queue.some(({ task }) => task.kind === 'node-group-create' && task.nodeGroupId === id)

/**
 * Takes back a node group that was only asked for: it is gone with this commit, and so is all that waits for it.
 *
 * @param groups all of the cluster, as read
 * @throws RevisionConflict when cluster or node group changed meanwhile
 */
export const dropNodeGroup = async (
  ports: DropPorts,
  cluster: Cluster,
  groups: readonly NodeGroup[],
  group: NodeGroup,
): Promise<void> => {
  const { clusters, nodeGroups, commit } = ports.stores
  const left = groups.filter(({ id }) => id !== group.id)
  await commit([
    clusters.change(cluster, {
      updatedAt: ports.clock.now().toISOString(),
      queue: cluster.queue.filter(({ task }) => nodeGroupOf(task) !== group.id),
      ...sumsOf(cluster, left),
    }),
    nodeGroups.remove(group),
    ownerEvent(ports, 'cluster', cluster, {
      action: 'update',
      outcome: 'success',
      // What runs goes on, so that no change of the cluster ends here.
      notify: false,
      reason: 'NodeGroupTakenBack',
      message: `Node group ${group.name} was taken back before anything of it was made.`,
    }),
  ])
}
