import { changeNodeGroup } from '../../core/cluster/change-node-group.ts'
import { requestChange } from '../cloud/request-change.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import type { PatchOperation } from '../json-patch/patch-operation.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { settingsAfter } from './node-group-patch.ts'
import { showNodeGroup } from './show-node-group.ts'

type Request = KeysRequest<unknown, PatchOperation[]>

/**
 * `PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup}` → 202 (magnum-rest.md section 6). An empty patch is accepted and changes nothing.
 */
export const patchNodeGroup = async (request: Request): Promise<ApiResponse> => {
  const { ports, params, body: operations } = request
  const rules = { findCluster: () => findCluster(request), request: requestChange(request) }
  const { cluster, group } = await changeNodeGroup(ports, rules, params.nodegroup ?? '', {
    attributes: operations.map(({ attribute }) => attribute),
    settingsOf: (read) => settingsAfter(read, operations),
  })
  return { status: 202, body: showNodeGroup(group, { ...request, cluster }) }
}
