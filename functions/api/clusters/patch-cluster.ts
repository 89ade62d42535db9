import { changeCluster, type DesiredChange } from '../../core/cluster/change-cluster.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { CLUSTER_ATTRIBUTES } from '../../core/cluster/magnum-attributes.ts'
import { InvalidRequest } from '../../core/errors.ts'
import { requestChange } from '../cloud/request-change.ts'
import { requirePolicy } from '../policy.ts'
import type { ApiResponse } from '../route.ts'
import type { ClusterPatch } from './cluster-patch.ts'
import { findIntactCluster } from './find-cluster.ts'
import { requireCountAllowed } from './node-count.ts'
import { takeManagement } from './take-management.ts'
import { type PatchRequest, takeReplacement } from './take-replacement.ts'

/** `rollback` came with version 1.3 (magnum-rest.md 1.4). @throws InvalidRequest */
const requireRollbackKnown = ({ rollback }: PatchRequest['query'], minor: number): void => {
  if (rollback === undefined || minor >= 3) return
  throw new InvalidRequest(`The query parameter "rollback" is unknown in version 1.${minor}; it came with 1.3.`)
}

/** @throws InvalidRequest where there is nothing to accept */
const requireKubeconfig = ({ query, body }: PatchRequest): void => {
  if (!query.accept_identity || body.kubeconfig !== undefined) return
  throw new InvalidRequest('"?accept_identity=true" goes with a change of "/kubeconfig" only.')
}

/** Health has a rule of its own (magnum-rest.md 9.4), which is asked of the caller as such. @throws PolicyForbids */
const requireMayReport = (request: PatchRequest): void => {
  const { healthStatus, healthReason } = request.body
  if (healthStatus === undefined && healthReason === undefined) return
  requirePolicy(request, CLUSTER_ATTRIBUTES.health_status.rule)
}

/** So does the role of a management cluster: a route's rule does not know what is changed. @throws PolicyForbids */
const requireMayManage = (request: PatchRequest, { projectId, userId }: Cluster): void => {
  if (request.body.management === undefined) return
  requirePolicy(request, CLUSTER_ATTRIBUTES.management.rule, { projectId, userId })
}

const roleOf = (request: PatchRequest, management: NonNullable<ClusterPatch['management']>) => () =>
  takeManagement(request.ports.drivers, management)

/** What the command is asked: what only a request can read it reads for the command. */
const desiredOf = (request: PatchRequest): DesiredChange => {
  const { kubeconfig, management, context: _, insecureSkipTlsVerify: __, ...rest } = request.body
  return {
    ...rest,
    ...(kubeconfig === undefined ? {} : { kubeconfig: takeReplacement(request, kubeconfig) }),
    ...(management === undefined ? {} : { management: management && roleOf(request, management) }),
  }
}

/**
 * `PATCH /v1/clusters/{cluster}` → 202 (magnum-rest.md 4.3). Health is stored at once; a kubeconfig or the node count of the default group
 * of workers starts an operation. Refusals of state are reported, which Magnum loses.
 */
export const patchCluster = async (request: PatchRequest): Promise<ApiResponse> => {
  const { ports, body, minor, query } = request
  requireRollbackKnown(query, minor)
  requireKubeconfig(request)
  requireCountAllowed(body.nodeCount, minor)
  requireMayReport(request)
  const findCluster = async () => {
    const cluster = await findIntactCluster(request, 'cluster:update_all_projects')
    requireMayManage(request, cluster)
    return cluster
  }
  const rules = { findCluster, request: requestChange(request) }
  const { id: uuid } = await changeCluster(ports, rules, desiredOf(request))
  return { status: 202, body: { uuid } }
}
