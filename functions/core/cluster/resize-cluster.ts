import { InvalidRequest, notFound, StateConflict } from '../errors.ts'
import { retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Ports } from '../ports.ts'
import { quote } from '../values/wording.ts'
import type { Cluster } from './cluster.ts'
import {
  requireClusterChangeable,
  requireMasterCountOdd,
  requireMastersReachable,
  requireNodesMade,
  requireTaskKnown,
} from './cluster-rules.ts'
import type { ChangeRules, RequestChange } from './cluster-tasks.ts'
import { requireAccepted } from './driver-preview.ts'
import { findNodeGroup } from './find-node-group.ts'
import { DEFAULT_GROUPS, isMaster, type NodeGroup, nodesOf } from './node-group.ts'
import { countFault, defaultWorkerOf } from './node-rules.ts'
import { reasonKept } from './task-groups.ts'

/** Nodes that a group shall have, and by name or id those that go. */
export type Resize = { nodeCount: number; nodesToRemove: readonly string[] }

/** A node group of a cluster, with all of them, as they were read. */
type GroupInCluster = { cluster: Cluster; nodeGroups: readonly NodeGroup[]; group: NodeGroup }

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

/** The group that is named; else the default one of the workers. @throws ObjectNotVisible */
const groupToResize = (groups: readonly NodeGroup[], ident: string | undefined): NodeGroup => {
  if (ident !== undefined) return findNodeGroup(groups, ident)
  const worker = defaultWorkerOf(groups)
  if (worker === undefined) throw notFound('NodeGroup', DEFAULT_GROUPS.worker)
  return worker
}

const resizeGroup = async (
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
  await requireAccepted(ports, { cluster, nodeGroups, task })
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

/** Of the default group of workers. The caller has checked the cluster, and runs this in `retryOnConflict`. @throws as `resizeCluster` */
export const resizeWorkers = async (
  ports: Ports,
  cluster: Cluster,
  nodeCount: number,
  request: RequestChange,
): Promise<void> => {
  const nodeGroups = await ports.stores.nodeGroups.listOf(cluster)
  const group = groupToResize(nodeGroups, undefined)
  await resizeGroup(ports, { cluster, nodeGroups, group }, { nodeCount, nodesToRemove: [] }, request)
}

/**
 * Resizes a node group: it and the cluster read UPDATE_IN_PROGRESS with the new number at once (magnum-rest.md 4.5). While another change
 * runs it waits for its turn, unless it takes that one's place.
 *
 * @param resize `nodeGroup`: id or name. Default: the default group of workers
 * @throws InvalidRequest, ChangeRefused, StateConflict, QueueFull, ObjectNotVisible, and errors of reaching whoever makes the cluster
 */
export const resizeCluster = (
  ports: Ports,
  { findCluster, request }: ChangeRules,
  resize: Resize & { nodeGroup: string | undefined },
): Promise<Cluster> =>
  retryOnConflict(async () => {
    const cluster = await findCluster()
    requireNodesMade(ports.drivers, cluster, '"node_count"')
    const nodeGroups = await ports.stores.nodeGroups.listOf(cluster)
    const group = groupToResize(nodeGroups, resize.nodeGroup)
    requireClusterChangeable(cluster)
    await resizeGroup(ports, { cluster, nodeGroups, group }, resize, request)
    return cluster
  })
