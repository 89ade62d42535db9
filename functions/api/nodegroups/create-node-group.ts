import { createNodeGroup, type DesiredNodeGroup, type GroupOfCluster } from '../../core/cluster/create-node-group.ts'
import { findNodeGroup } from '../../core/cluster/find-node-group.ts'
import { atHandFirst } from '../../core/operation/retry-on-conflict.ts'
import { requestChange } from '../cloud/request-change.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import { createOnce } from '../idempotency.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import type { CreateNodeGroup } from './node-group.schema.ts'
import { showNodeGroup } from './show-node-group.ts'

type Request = KeysRequest<unknown, CreateNodeGroup>

const desiredOf = ({ body }: Request): DesiredNodeGroup => ({
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
const madeBefore = async (request: Request, id: string): Promise<GroupOfCluster> => {
  const cluster = await findCluster(request)
  return { cluster, group: findNodeGroup(await request.ports.stores.nodeGroups.listOf(cluster), id) }
}

/** `POST /v1/clusters/{cluster}/nodegroups` → 202 (magnum-rest.md section 6). Parallel ones queue. */
export const createNodeGroupHandler = async (request: Request): Promise<ApiResponse> => {
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
