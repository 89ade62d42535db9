import { changeNodeGroup } from '../../core/cluster/change-node-group.ts'
import { createNodeGroup, type DesiredNodeGroup, type GroupOfCluster } from '../../core/cluster/create-node-group.ts'
import { deleteNodeGroup } from '../../core/cluster/delete-node-group.ts'
import { findNodeGroup } from '../../core/cluster/find-node-group.ts'
import { atHandFirst } from '../../core/operation/retry-on-conflict.ts'
import { requestChange } from '../cloud/request-change.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import { createOnce } from '../idempotency.ts'
import type { PatchOperation } from '../json-patch/patch-operation.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { type CreateNodeGroup, settingsAfter } from './node-group.schema.ts'
import { showNodeGroup } from './read-node-groups.ts'

type CreateRequest = KeysRequest<unknown, CreateNodeGroup>

const desiredOf = ({ body }: CreateRequest): DesiredNodeGroup => ({
  name: body.name,
  role: body.role,
  nodeCount: body.node_count,
  minNodeCount: body.min_node_count,
  maxNodeCount: body.max_node_count,
  flavorId: body.flavor_id,
  imageId: body.image_id,
  labels: { labels: body.labels, merge: body.merge_labels },
  dockerVolumeSize: body.docker_volume_size,
  nodeLabels: body.node_labels,
  nodeTaints: body.node_taints,
})

/** What an earlier request with the same key has made. @throws ObjectNotVisible when it is gone */
const madeBefore = async (request: CreateRequest, id: string): Promise<GroupOfCluster> => {
  const cluster = await findCluster(request)
  return { cluster, group: findNodeGroup(await request.ports.stores.nodeGroups.listOf(cluster), id) }
}

/** `POST /v1/clusters/{cluster}/nodegroups` → 202 (magnum-rest.md section 6). Parallel ones queue. */
export const createNodeGroupHandler = async (request: CreateRequest): Promise<ApiResponse> => {
  const { ports } = request
  const found = await findCluster(request)
  const rules = {
    findCluster: atHandFirst(found, () => findCluster(request)),
    request: requestChange(request),
  }
  let made: GroupOfCluster | undefined
  // Not as the path has it: a name may be another cluster's by the time that the key comes again.
  const id = await createOnce(request, `POST /v1/clusters/${found.id}/nodegroups`, async (remember) => {
    made = await createNodeGroup(ports, { ...rules, remember }, desiredOf(request))
    return made.group.id
  })
  const { cluster, group } = made ?? (await madeBefore(request, id))
  return { status: 202, body: showNodeGroup(group, { ...request, cluster }) }
}

/** `DELETE /v1/clusters/{cluster}/nodegroups/{nodegroup}` → 204 (magnum-rest.md section 6, 11 row 3). */
export const deleteNodeGroupHandler = async (request: KeysRequest): Promise<ApiResponse> => {
  const rules = { findCluster: () => findCluster(request), request: requestChange(request) }
  await deleteNodeGroup(request.ports, rules, request.params.nodegroup ?? '')
  return { status: 204 }
}

type PatchRequest = KeysRequest<unknown, PatchOperation[]>

/**
 * `PATCH /v1/clusters/{cluster}/nodegroups/{nodegroup}` → 202 (magnum-rest.md section 6). An empty patch is accepted and changes nothing.
 */
export const patchNodeGroup = async (request: PatchRequest): Promise<ApiResponse> => {
  const { ports, params, body: operations } = request
  const rules = { findCluster: () => findCluster(request), request: requestChange(request) }
  const { cluster, group } = await changeNodeGroup(ports, rules, params.nodegroup ?? '', {
    attributes: operations.map(({ attribute }) => attribute),
    settingsOf: (read) => settingsAfter(read, operations),
  })
  return { status: 202, body: showNodeGroup(group, { ...request, cluster }) }
}
