import type { Cluster } from '../../core/cluster/cluster.ts'
import { isMaster, type NodeGroup, nodesOf } from '../../core/cluster/node-group.ts'
import { countFault } from '../../core/cluster/node-limits.ts'
import { reasonKept } from '../../core/cluster/task-groups.ts'
import { quote } from '../../core/values/wording.ts'
import type { DelegationRequest } from '../cloud/lend.ts'
import { requestChange } from '../cloud/request-change.ts'
import { InvalidRequest, StateConflict } from '../errors.ts'
import { requireTaskKnown } from './driver-rules.ts'
import { requireMasterCountOdd, requireMastersReachable } from './node-count.ts'
import { requireAccepted } from './require-accepted.ts'
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

/**
 * Checks a resize and asks for it: the group and the cluster read UPDATE_IN_PROGRESS with the new number at once (magnum-rest.md 4.5).
 * The caller has checked the cluster's status, and runs this in `retryOnConflict`.
 *
 * @throws InvalidRequest, ChangeRefused, StateConflict, QueueFull, RevisionConflict, and errors of reaching whoever makes the cluster
 */
export const requestResize = async (
  request: DelegationRequest,
  target: GroupInCluster,
  { nodeCount, nodesToRemove }: Resize,
): Promise<void> => {
  const { ports } = request
  const { cluster, group } = target
  const driver = ports.drivers.cluster.resolve(cluster.driver)
  requireTaskKnown(driver, 'resize', 'change the number of nodes')
  requireGroupStays(group)
  requireCountFits(target, nodeCount)
  const task = { kind: 'resize', nodeGroupId: group.id, nodeCount, nodesToRemove } as const
  const nodeGroups = target.nodeGroups.map((one) => (one.id === group.id ? { ...one, nodeCount } : one))
  await requireAccepted(request, { cluster, template: await templateOfCluster(request, cluster), nodeGroups, task })
  const updatedAt = ports.clock.now().toISOString()
  await requestChange(request, cluster, {
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
