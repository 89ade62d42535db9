import type { Cluster } from '../../core/cluster/cluster.ts'
import type { ClusterTask } from '../../core/cluster/cluster-task.ts'
import { type NodeGroup, nodesOf } from '../../core/cluster/node-group.ts'
import { untilNoConflict } from '../../core/operation/retry-on-conflict.ts'
import { quote } from '../../core/values/wording.ts'
import type { Write } from '../../store/write.ts'
import { requestChange } from '../cloud/request-change.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import { StateConflict } from '../errors.ts'
import { createOnce } from '../idempotency.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { NodeGroupNameTaken } from './errors.ts'
import { findNodeGroup } from './find-node-group.ts'
import { newNodeGroup } from './new-node-group.ts'
import type { CreateNodeGroup } from './node-group.schema.ts'
import { demandAccepted, demandClusterChangeable, driverFor } from './node-group-rules.ts'
import { showNodeGroup } from './show-node-group.ts'

type Request = KeysRequest<unknown, CreateNodeGroup>

/** Nodes join through it. @throws StateConflict */
const demandReachable = ({ name, endpoint }: Cluster): void => {
  if (endpoint !== null) return
  throw new StateConflict(
    `Cluster ${quote(name)} has no "api_address" yet, so no nodes can join it. Try again when it has one.`,
  )
}

/** @throws NodeGroupNameTaken */
const demandNameFree = (cluster: Cluster, groups: readonly NodeGroup[], name: string): void => {
  const taken = groups.find((group) => group.name === name)
  if (taken === undefined) return
  throw new NodeGroupNameTaken(
    `Cluster ${quote(cluster.name)} has a node group ${quote(name)} already (${taken.id}, ${taken.status}). Choose another name.`,
  )
}

/** Reads, decides, commits; the task begins or queues. Returns the id. */
const decide = async (request: Request, remember: (id: string) => Write[]): Promise<string> => {
  const { ports, body } = request
  const { nodeGroups } = ports.stores
  const cluster = await findCluster(request)
  const driver = driverFor(ports, cluster, 'node-group-create')
  demandClusterChangeable(cluster)
  demandReachable(cluster)
  const groups = await nodeGroups.listOf(cluster)
  demandNameFree(cluster, groups, body.name)
  const group = newNodeGroup(body, cluster, groups, { id: ports.newId(), now: ports.clock.now().toISOString() })
  const all = [...groups, group]
  const task: ClusterTask = { kind: 'node-group-create', nodeGroupId: group.id }
  await demandAccepted(request, driver, { cluster, nodeGroups: all, task })
  await requestChange(request, cluster, {
    task,
    writes: [nodeGroups.insert(group), ...remember(group.id)],
    change: { nodes: nodesOf(all) },
    said: { reason: 'NodeGroupRequested', message: `Node group ${group.name} is being created.` },
  })
  return group.id
}

/** `POST /v1/clusters/{cluster}/nodegroups` → 202 (magnum-rest.md section 6). Parallel ones queue. */
export const createNodeGroupHandler = async (request: Request): Promise<ApiResponse> => {
  const { ports, params, baseUrl } = request
  const id = await createOnce(request, `POST /v1/clusters/${params.cluster}/nodegroups`, (remember) =>
    untilNoConflict(() => decide(request, remember)),
  )
  const cluster = await findCluster(request)
  const group = findNodeGroup(await ports.stores.nodeGroups.listOf(cluster), id)
  return { status: 202, body: showNodeGroup(cluster, group, baseUrl) }
}
