import type { Cluster } from '../../core/cluster/cluster.ts'
import { untilNoConflict } from '../../core/operation/retry-on-conflict.ts'
import { InvalidRequest } from '../errors.ts'
import { demandPolicy } from '../policy.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { type ClusterPatch, isEmptyPatch } from './cluster-patch.ts'
import { findIntactCluster } from './find-cluster.ts'
import { demandCountAllowed } from './node-count.ts'
import { demandPatchable, reportedHealth } from './plan-cluster-patch.ts'
import { replaceKubeconfig } from './replace-kubeconfig.ts'
import { requestResize } from './request-resize.ts'
import { groupToResize } from './resize-cluster.ts'
import { setManagement } from './set-management.ts'

type Request = KeysRequest<{ rollback?: boolean | undefined; accept_identity: boolean }, ClusterPatch>

/** `rollback` came with version 1.3 (magnum-rest.md 1.4). @throws InvalidRequest */
const demandRollbackKnown = ({ rollback }: Request['query'], minor: number): void => {
  if (rollback === undefined || minor >= 3) return
  throw new InvalidRequest(`The query parameter "rollback" is unknown in version 1.${minor}; it came with 1.3.`)
}

/** @throws InvalidRequest where there is nothing to accept */
const requireKubeconfig = ({ query, body }: Request): void => {
  if (!query.accept_identity || body.kubeconfig !== undefined) return
  throw new InvalidRequest('"?accept_identity=true" goes with a change of "/kubeconfig" only.')
}

/** Health has a rule of its own (magnum-rest.md 9.4), which is asked of the caller as such. @throws PolicyForbids */
const demandMayReport = (request: Request): void => {
  const { healthStatus, healthReason } = request.body
  if (healthStatus === undefined && healthReason === undefined) return
  demandPolicy(request, 'cluster:update_health_status')
}

/** So does the role of a management cluster: a route's rule does not know what is changed. @throws PolicyForbids */
const demandMayManage = (request: Request, { projectId, userId }: Cluster): void => {
  if (request.body.management === undefined) return
  demandPolicy(request, 'cluster:set_management', { projectId, userId })
}

const resizeWorkers = async (request: Request, cluster: Cluster, nodeCount: number): Promise<void> => {
  const nodeGroups = await request.ports.stores.nodeGroups.listOf(cluster)
  const group = groupToResize(nodeGroups)
  await requestResize(request, { cluster, nodeGroups, group }, { nodeCount, nodesToRemove: [] })
}

/** Reads, decides, and starts what there is to start. */
const round = async (request: Request): Promise<Cluster> => {
  const { ports, body } = request
  const cluster = await findIntactCluster(request, 'cluster:update_all_projects')
  demandMayManage(request, cluster)
  if (isEmptyPatch(body)) return cluster
  demandPatchable(cluster, body, ports.drivers)
  const { kubeconfig, nodeCount, management } = body
  if (kubeconfig !== undefined) await replaceKubeconfig(request, cluster, kubeconfig)
  if (nodeCount !== undefined) await resizeWorkers(request, cluster, nodeCount)
  if (management !== undefined) await setManagement(request, cluster, management)
  return cluster
}

/**
 * `PATCH /v1/clusters/{cluster}` → 202 (magnum-rest.md 4.3). Health is stored at once; a kubeconfig or the node count of the default group
 * of workers starts an operation. Refusals of state are told, which Magnum loses.
 */
export const patchCluster = async (request: Request): Promise<ApiResponse> => {
  const { ports, body, minor, query } = request
  demandRollbackKnown(query, minor)
  requireKubeconfig(request)
  demandCountAllowed(body.nodeCount, minor)
  demandMayReport(request)
  const cluster = await untilNoConflict(() => round(request))
  const { projectId, id } = cluster
  const health = reportedHealth(cluster, body, ports.clock.now())
  if (health !== null) await ports.stores.clusters.observe({ projectId, id }, health)
  return { status: 202, body: { uuid: id } }
}
