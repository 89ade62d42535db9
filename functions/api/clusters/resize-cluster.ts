import { RESIZABLE, stateFault } from '../../core/cluster/cluster-state.ts'
import { requireNodesMade } from '../../core/cluster/driver-rules.ts'
import { findNodeGroup } from '../../core/cluster/find-node-group.ts'
import type { NodeGroup } from '../../core/cluster/node-group.ts'
import { defaultWorkerOf } from '../../core/cluster/node-limits.ts'
import { resizeCluster } from '../../core/cluster/resize-cluster.ts'
import { StateConflict } from '../../core/errors.ts'
import { notFound } from '../../core/not-found.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { requestBy } from '../cloud/request-change.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import type { ResizeCluster } from './cluster-actions.schema.ts'
import { findIntactCluster } from './find-cluster.ts'
import { requireCountAllowed } from './node-count.ts'

type Request = KeysRequest<unknown, ResizeCluster>

/** The group that is named; else the default one of the workers. @throws ObjectNotVisible */
export const groupToResize = (groups: readonly NodeGroup[], ident?: string): NodeGroup => {
  if (ident !== undefined) return findNodeGroup(groups, ident)
  const worker = defaultWorkerOf(groups)
  if (worker === undefined) throw notFound('NodeGroup', 'default-worker')
  return worker
}

const round = async (request: Request): Promise<string> => {
  const { ports, body } = request
  const cluster = await findIntactCluster(request)
  requireNodesMade(ports.drivers, cluster, '"node_count"')
  const nodeGroups = await ports.stores.nodeGroups.listOf(cluster)
  const group = groupToResize(nodeGroups, body.nodegroup)
  const fault = stateFault(cluster, RESIZABLE)
  if (fault !== null) throw new StateConflict(fault)
  const resize = { nodeCount: body.node_count, nodesToRemove: body.nodes_to_remove ?? [] }
  await resizeCluster(ports, { cluster, nodeGroups, group }, resize, requestBy(request))
  return cluster.id
}

/**
 * `POST /v1/clusters/{cluster}/actions/resize` → 202 (magnum-rest.md 4.5). While another change runs it waits for its turn, each with the
 * nodes that it names (section 11 row 13).
 */
export const resizeClusterHandler = async (request: Request): Promise<ApiResponse> => {
  requireCountAllowed(request.body.node_count, request.minor)
  const uuid = await retryOnConflict(() => round(request))
  return { status: 202, body: { uuid } }
}
