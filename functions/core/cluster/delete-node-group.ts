import { InvalidRequest } from '../errors.ts'
import { ownerEvent } from '../operation/events.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import { quote } from '../values/wording.ts'
import type { Cluster } from './cluster.ts'
import { requireClusterChangeable, requireGroupTaskKnown, requireNoFault } from './cluster-rules.ts'
import { type ClusterTask, nodeGroupOf } from './cluster-task.ts'
import type { ChangeRules } from './cluster-tasks.ts'
import { requireAccepted } from './driver-preview.ts'
import { findNodeGroup } from './find-node-group.ts'
import { type NodeGroup, nodesOf } from './node-group.ts'
import { sumsOf, truncatedGroup } from './node-group-writes.ts'

type DropPorts = Pick<Ports, 'stores' | 'clock' | 'newId'>

/** True for a node group of which nothing is made yet: its creation waits for its turn. */
const isOnlyAskedFor = ({ queue }: Cluster, { id }: NodeGroup): boolean =>
  queue.some(({ task }) => task.kind === 'node-group-create' && task.nodeGroupId === id)

/**
 * Takes back a node group that was only asked for: it is gone with this commit, and so is all that waits for it.
 *
 * @param groups all of the cluster, as read
 * @throws RevisionConflict when cluster or node group changed meanwhile
 */
const dropNodeGroup = async (
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

/** Reads, decides, commits. */
const round = async (ports: Ports, { findCluster, request }: ChangeRules, ident: string): Promise<void> => {
  const { nodeGroups } = ports.stores
  const cluster = await findCluster()
  const groups = await nodeGroups.listOf(cluster)
  const group = findNodeGroup(groups, ident)
  if (group.isDefault) {
    throw new InvalidRequest(
      `Node group ${quote(group.name)} can't be deleted: it is a default one, which goes with its cluster.`,
    )
  }
  if (group.status === 'DELETE_IN_PROGRESS') return
  requireGroupTaskKnown(ports, cluster, 'node-group-delete')
  requireClusterChangeable(cluster)
  if (isOnlyAskedFor(cluster, group)) return dropNodeGroup(ports, cluster, groups, group)
  const change = {
    status: 'DELETE_IN_PROGRESS',
    statusReason: null,
    updatedAt: ports.clock.now().toISOString(),
  } as const
  const all = groups.map((other) => (other.id === group.id ? { ...other, ...change } : other))
  const task: ClusterTask = { kind: 'node-group-delete', nodeGroupId: group.id }
  await requireAccepted(ports, { cluster, nodeGroups: all, task }, requireNoFault)
  await request(cluster, {
    task,
    takesPlace: true,
    writes: [nodeGroups.change(group, { ...change, ...truncatedGroup(group) })],
    // Its nodes count until they are gone.
    change: { nodes: nodesOf(all) },
    said: { reason: 'NodeGroupDeletion', message: `Node group ${group.name} is being deleted.` },
  })
}

/**
 * Deletes a node group; nothing when it goes already. It ends what runs or waits for the group, and one that was only asked for is gone at
 * once.
 *
 * @param ident id or name
 * @throws InvalidRequest, NodeGroupInvalid, ChangeRefused, StateConflict, QueueFull, ObjectNotVisible, and errors of reaching whoever makes the cluster
 */
export const deleteNodeGroup = (ports: Ports, rules: ChangeRules, ident: string): Promise<void> =>
  retryOnConflict(() => round(ports, rules, ident))
