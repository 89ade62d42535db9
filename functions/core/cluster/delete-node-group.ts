import { InvalidRequest } from '../errors.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import { truncatedGroup } from '../operation/truncated.ts'
import type { Ports } from '../ports.ts'
import { quote } from '../values/wording.ts'
import type { ClusterTask } from './cluster-task.ts'
import type { ChangeRules } from './cluster-tasks.ts'
import { dropNodeGroup, isOnlyAskedFor } from './drop-node-group.ts'
import { findNodeGroup } from './find-node-group.ts'
import { nodesOf } from './node-group.ts'
import { requireClusterChangeable, requireGroupTaskKnown, requireNoFault } from './node-group-rules.ts'
import { requireAccepted } from './require-accepted.ts'

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
