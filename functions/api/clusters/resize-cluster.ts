import { resizeCluster } from '../../core/cluster/resize-cluster.ts'
import { requestChange } from '../cloud/request-change.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import type { ResizeCluster } from './cluster-actions.schema.ts'
import { findIntactCluster } from './find-cluster.ts'
import { requireCountAllowed } from './node-count.ts'

type Request = KeysRequest<unknown, ResizeCluster>

/**
 * `POST /v1/clusters/{cluster}/actions/resize` → 202 (magnum-rest.md 4.5). While another change runs it waits for its turn, each with the
 * nodes that it names (section 11 row 13).
 */
export const resizeClusterHandler = async (request: Request): Promise<ApiResponse> => {
  const { ports, body, minor } = request
  requireCountAllowed(body.node_count, minor)
  const rules = { findCluster: () => findIntactCluster(request), request: requestChange(request) }
  const { id: uuid } = await resizeCluster(ports, rules, {
    nodeCount: body.node_count,
    nodesToRemove: body.nodes_to_remove ?? [],
    nodeGroup: body.nodegroup,
  })
  return { status: 202, body: { uuid } }
}
