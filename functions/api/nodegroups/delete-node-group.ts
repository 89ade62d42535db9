import { deleteNodeGroup } from '../../core/cluster/delete-node-group.ts'
import { requestChange } from '../cloud/request-change.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'

/** `DELETE /v1/clusters/{cluster}/nodegroups/{nodegroup}` → 204 (magnum-rest.md section 6, 11 row 3). */
export const deleteNodeGroupHandler = async (request: KeysRequest): Promise<ApiResponse> => {
  const rules = { findCluster: () => findCluster(request), request: requestChange(request) }
  await deleteNodeGroup(request.ports, rules, request.params.nodegroup ?? '')
  return { status: 204 }
}
