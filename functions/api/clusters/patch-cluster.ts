import type { Cluster, ClusterObservation } from '../../core/cluster/cluster.ts'
import { CREDENTIAL_TAKEN, RESIZABLE, SETTLED, stateFault } from '../../core/cluster/cluster-state.ts'
import { requireNodesMade } from '../../core/cluster/driver-rules.ts'
import { resizeCluster } from '../../core/cluster/resize-cluster.ts'
import { InvalidRequest, StateConflict } from '../../core/errors.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { listInWords } from '../../core/values/wording.ts'
import type { ClusterDriverDescription } from '../../drivers/contract/cluster-driver-description.ts'
import type { DriverDescriptions } from '../../drivers/contract/registry.ts'
import { requestBy } from '../cloud/request-change.ts'
import { requirePolicy } from '../policy.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { type ClusterPatch, isEmptyPatch } from './cluster-patch.ts'
import { findIntactCluster } from './find-cluster.ts'
import { requireCountAllowed } from './node-count.ts'
import { replaceKubeconfig } from './replace-kubeconfig.ts'
import { groupToResize } from './resize-cluster.ts'
import { setManagement } from './set-management.ts'

const requireCapable = (driver: ClusterDriverDescription, patch: ClusterPatch): void => {
  if (patch.kubeconfig === undefined || driver.capabilities.needsKubeconfig) return
  const advice = driver.registration === undefined ? '' : ` ${driver.registration.advice.credential}`
  throw new InvalidRequest(
    `"/kubeconfig" of this cluster can't be changed: its driver ${driver.id} takes none.${advice}`,
  )
}

const requireUnset = (cluster: Cluster, { added }: ClusterPatch): void => {
  const isSet = (attribute: string): boolean => {
    if (attribute === 'management') return (cluster.management ?? null) !== null
    return !attribute.startsWith('health_') || cluster.observation !== null
  }
  const set = added.find(isSet)
  if (set !== undefined) throw new InvalidRequest(`"/${set}" is set already: use "replace" instead of "add".`)
}

const requireOneTask = ({ kubeconfig, nodeCount, management }: ClusterPatch): void => {
  const asked = [
    ...(kubeconfig === undefined ? [] : ['"/kubeconfig"']),
    ...(nodeCount === undefined ? [] : ['"/node_count"']),
    ...(management === undefined ? [] : ['"/management"']),
  ]
  if (asked.length < 2) return
  throw new InvalidRequest(`${listInWords(asked)} can't be changed at once. Send ${asked.length} requests.`)
}

/** Which also repairs what failed, and waits for what runs. */
const RESIZE_INSTEAD = ' A resize (POST /v1/clusters/{cluster}/actions/resize) is taken now, too.'

/** Refuses a patch that the cluster does not take, or not in its state (magnum-rest.md 4.3). @throws InvalidRequest, StateConflict */
const requirePatchable = (cluster: Cluster, patch: ClusterPatch, drivers: DriverDescriptions): void => {
  requireCapable(drivers.cluster.resolve(cluster.driver), patch)
  if (patch.nodeCount !== undefined) requireNodesMade(drivers, cluster, '"/node_count"')
  requireUnset(cluster, patch)
  requireOneTask(patch)
  const repairs = patch.kubeconfig !== undefined || patch.management !== undefined
  const fault = stateFault(cluster, repairs ? CREDENTIAL_TAKEN : SETTLED)
  const advice = patch.nodeCount !== undefined && RESIZABLE.includes(cluster.status) ? RESIZE_INSTEAD : ''
  if (fault !== null) throw new StateConflict(`${fault}${advice}`)
}

/** The observation with the health that a caller reports (magnum-auto-healer); null when the patch reports none. */
const reportedHealth = (cluster: Cluster, patch: ClusterPatch, now: Date): ClusterObservation | null => {
  if (patch.healthStatus === undefined && patch.healthReason === undefined) return null
  const before = cluster.observation
  return {
    version: before?.version ?? null,
    nodeCount: before?.nodeCount ?? 0,
    masterCount: before?.masterCount ?? 0,
    observedAt: now.toISOString(),
    healthStatus: patch.healthStatus ?? before?.healthStatus ?? 'UNKNOWN',
    healthReason: patch.healthReason ?? before?.healthReason ?? {},
  }
}

type Request = KeysRequest<{ rollback?: boolean | undefined; accept_identity: boolean }, ClusterPatch>

/** `rollback` came with version 1.3 (magnum-rest.md 1.4). @throws InvalidRequest */
const requireRollbackKnown = ({ rollback }: Request['query'], minor: number): void => {
  if (rollback === undefined || minor >= 3) return
  throw new InvalidRequest(`The query parameter "rollback" is unknown in version 1.${minor}; it came with 1.3.`)
}

/** @throws InvalidRequest where there is nothing to accept */
const requireKubeconfig = ({ query, body }: Request): void => {
  if (!query.accept_identity || body.kubeconfig !== undefined) return
  throw new InvalidRequest('"?accept_identity=true" goes with a change of "/kubeconfig" only.')
}

/** Health has a rule of its own (magnum-rest.md 9.4), which is asked of the caller as such. @throws PolicyForbids */
const requireMayReport = (request: Request): void => {
  const { healthStatus, healthReason } = request.body
  if (healthStatus === undefined && healthReason === undefined) return
  requirePolicy(request, 'cluster:update_health_status')
}

/** So does the role of a management cluster: a route's rule does not know what is changed. @throws PolicyForbids */
const requireMayManage = (request: Request, { projectId, userId }: Cluster): void => {
  if (request.body.management === undefined) return
  requirePolicy(request, 'cluster:set_management', { projectId, userId })
}

const resizeWorkers = async (request: Request, cluster: Cluster, nodeCount: number): Promise<void> => {
  const nodeGroups = await request.ports.stores.nodeGroups.listOf(cluster)
  const group = groupToResize(nodeGroups)
  await resizeCluster(
    request.ports,
    { cluster, nodeGroups, group },
    { nodeCount, nodesToRemove: [] },
    requestBy(request),
  )
}

/** Reads, decides, and starts what there is to start. */
const round = async (request: Request): Promise<Cluster> => {
  const { ports, body } = request
  const cluster = await findIntactCluster(request, 'cluster:update_all_projects')
  requireMayManage(request, cluster)
  if (isEmptyPatch(body)) return cluster
  requirePatchable(cluster, body, ports.drivers)
  const { kubeconfig, nodeCount, management } = body
  if (kubeconfig !== undefined) await replaceKubeconfig(request, cluster, kubeconfig)
  if (nodeCount !== undefined) await resizeWorkers(request, cluster, nodeCount)
  if (management !== undefined) await setManagement(request, cluster, management)
  return cluster
}

/**
 * `PATCH /v1/clusters/{cluster}` → 202 (magnum-rest.md 4.3). Health is stored at once; a kubeconfig or the node count of the default group
 * of workers starts an operation. Refusals of state are reported, which Magnum loses.
 */
export const patchCluster = async (request: Request): Promise<ApiResponse> => {
  const { ports, body, minor, query } = request
  requireRollbackKnown(query, minor)
  requireKubeconfig(request)
  requireCountAllowed(body.nodeCount, minor)
  requireMayReport(request)
  const cluster = await retryOnConflict(() => round(request))
  const { projectId, id } = cluster
  const health = reportedHealth(cluster, body, ports.clock.now())
  if (health !== null) await ports.stores.clusters.observe({ projectId, id }, health)
  return { status: 202, body: { uuid: id } }
}
