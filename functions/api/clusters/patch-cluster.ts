import type { Cluster, ClusterOperation } from '../../domain/cluster.ts'
import { DEADLINE_SECONDS } from '../../domain/deadlines.ts'
import { untilNoConflict } from '../../operations/conflict.ts'
import { candidateKey, kubeconfigKey } from '../../operations/credentials.ts'
import { ownerEvent } from '../../operations/events.ts'
import { launch, newOperation } from '../../operations/operation.ts'
import { InvalidRequest } from '../errors.ts'
import { find } from '../lookup.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { type ClusterPatch, isEmptyPatch } from './cluster-patch.ts'
import { type TakenKubeconfig, takeKubeconfig } from './intake.ts'
import { demandCountAllowed } from './node-count.ts'
import { clusterChangeOf, decideClusterPatch, reportedHealth } from './plan-cluster-patch.ts'

type Request = ApiRequest<{ rollback?: boolean | undefined }, ClusterPatch>

/** `rollback` came with version 1.3 (magnum-rest.md 1.4). @throws InvalidRequest */
const demandRollbackKnown = ({ rollback }: Request['query'], minor: number): void => {
  if (rollback === undefined || minor >= 3) return
  throw new InvalidRequest(`The query parameter "rollback" is unknown in version 1.${minor}; it came with 1.3.`)
}

/** The flag stays as it was at registration unless the patch says otherwise. */
const takenFrom = (request: Request, cluster: Cluster): TakenKubeconfig | null => {
  const { kubeconfig, context, insecureSkipTlsVerify } = request.body
  if (kubeconfig === undefined) return null
  const allowInsecure = insecureSkipTlsVerify ?? cluster.endpoint?.tlsVerify === false
  return takeKubeconfig(request, { kubeconfig, context, allowInsecure, serverForPeers: undefined })
}

const begin = async (request: Request, cluster: Cluster, kind: 'create' | 'update'): Promise<ClusterOperation> => {
  const { ports, body } = request
  const { clusters, credentials, commit } = ports.stores
  const operation = newOperation(ports, kind, { deadlineSeconds: DEADLINE_SECONDS[`cluster-${kind}`] })
  const taken = takenFrom(request, cluster)
  const key = kind === 'create' ? kubeconfigKey(cluster) : candidateKey(cluster)
  await commit([
    clusters.change(cluster, clusterChangeOf(cluster, body, operation, taken)),
    ...(taken === null ? [] : [await credentials.seal(key, taken.credential)]),
    ownerEvent(ports, 'cluster', cluster, {
      action: kind,
      outcome: 'pending',
      reason: taken === null ? 'Requested' : 'KubeconfigReplaced',
      message: taken === null ? 'The number of nodes is being changed.' : 'A new kubeconfig is being checked.',
    }),
  ])
  return operation
}

type Begun = { cluster: Cluster; operation: ClusterOperation | null }

const decide = async (request: Request): Promise<Begun> => {
  const { ports, principal, params, body } = request
  const cluster = await find(ports.stores.clusters, 'Cluster', principal.projectId, params.cluster ?? '')
  if (isEmptyPatch(body)) return { cluster, operation: null }
  const { capabilities } = ports.drivers.cluster.resolve(cluster.driver)
  const kind = decideClusterPatch(cluster, body, capabilities)
  return { cluster, operation: kind === null ? null : await begin(request, cluster, kind) }
}

/**
 * `PATCH /v1/clusters/{cluster}` → 202 (magnum-rest.md 4.3). Health is stored at once; a kubeconfig or a node count starts an operation.
 * Refusals of state are told, which Magnum loses.
 */
export const patchCluster = async (request: Request): Promise<ApiResponse> => {
  const { ports, body, minor, query } = request
  demandRollbackKnown(query, minor)
  demandCountAllowed(body.nodeCount, minor)
  const { cluster, operation } = await untilNoConflict(() => decide(request))
  const { projectId, id } = cluster
  const health = reportedHealth(cluster, body, ports.clock.now())
  if (health !== null) await ports.stores.clusters.observe({ projectId, id }, health)
  if (operation !== null) {
    await launch(ports, { flow: `cluster-${operation.kind}`, projectId, entityId: id, operation })
  }
  return { status: 202, body: { uuid: id } }
}
