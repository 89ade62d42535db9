import { InvalidRequest, StateConflict } from '../errors.ts'
import type { Ports } from '../ports.ts'
import { quote } from '../values/wording.ts'
import type { Cluster } from './cluster.ts'
import type { TaskRequest } from './cluster-tasks.ts'
import { requireTaskKnown } from './driver-rules.ts'
import { requireMasterCountOdd, requireMastersReachable } from './master-count.ts'
import { isMaster, type NodeGroup, nodesOf } from './node-group.ts'
import { countFault } from './node-limits.ts'
import { requireAccepted } from './require-accepted.ts'
import { reasonKept } from './task-groups.ts'
import { templateOfCluster } from './template-of-cluster.ts'

/** Nodes that a group shall have, and by name or id those that go. */
export type Resize = { nodeCount: number; nodesToRemove: readonly string[] }

/** A node group of a cluster, with all of them, as they were read. */
export type GroupInCluster = { cluster: Cluster; nodeGroups: readonly NodeGroup[]; group: NodeGroup }

const requireCountFits = ({ cluster, group }: GroupInCluster, nodeCount: number): void => {
  const fault = countFault(nodeCount, group)
  if (fault !== null) throw new InvalidRequest(`${fault} The node group is ${quote(group.name)}.`)
  if (!isMaster(group)) return
  requireMasterCountOdd(nodeCount)
  requireMastersReachable(nodeCount, cluster.magnum.masterLbEnabled)
}

const requireGroupStays = ({ status, name }: NodeGroup): void => {
  if (!status.startsWith('DELETE_')) return
  throw new StateConflict(`Node group ${quote(name)} is ${status}: it can't be resized any more.`)
}

/** How a change is asked for: `requestTask`, with what its caller lends. */
export type RequestChange = (cluster: Cluster, change: TaskRequest) => Promise<void>

/**
 * Checks a resize and asks for it: the group and the cluster read UPDATE_IN_PROGRESS with the new number at once (magnum-rest.md 4.5).
 * The caller has checked the cluster's status, and runs this in `retryOnConflict`.
 *
 * @throws InvalidRequest, ChangeRefused, StateConflict, QueueFull, RevisionConflict, and errors of reaching whoever makes the cluster
 */
export const resizeCluster = async (
  ports: Ports,
  target: GroupInCluster,
  { nodeCount, nodesToRemove }: Resize,
  request: RequestChange,
): Promise<void> => {
  const { cluster, group } = target
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  requireTaskKnown(driver, 'resize', 'change the number of nodes')
  requireGroupStays(group)
  requireCountFits(target, nodeCount)
  const task = { kind: 'resize', nodeGroupId: group.id, nodeCount, nodesToRemove } as const
  const nodeGroups = target.nodeGroups.map((one) => (one.id === group.id ? { ...one, nodeCount } : one))
  await requireAccepted(ports, { cluster, template: await templateOfCluster(ports, cluster), nodeGroups, task })
  const updatedAt = ports.clock.now().toISOString()
  await request(cluster, {
    task,
    takesPlace: true,
    writes: [
      ports.stores.nodeGroups.change(group, {
        nodeCount,
        status: 'UPDATE_IN_PROGRESS',
        statusReason: reasonKept(group),
        updatedAt,
      }),
    ],
    change: { nodes: nodesOf(nodeGroups) },
    said: {
      reason: 'ResizeRequested',
      message: `Node group ${group.name} is to have ${nodeCount} instead of ${group.nodeCount} nodes.`,
    },
  })
}
