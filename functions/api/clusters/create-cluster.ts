import { DEADLINE_SECONDS } from '../../domain/deadlines.ts'
import { kubeconfigKey } from '../../operations/credentials.ts'
import { ownerEvent } from '../../operations/events.ts'
import { launch, newOperation } from '../../operations/operation.ts'
import type { Write } from '../../store/write.ts'
import { InvalidRequest } from '../errors.ts'
import { createOnce } from '../idempotency.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { chooseClusterDriver } from './choose-driver.ts'
import type { CreateCluster } from './cluster.schema.ts'
import { type TakenKubeconfig, takeKubeconfig } from './intake.ts'
import { newCluster } from './new-cluster.ts'
import { demandCountAllowed } from './node-count.ts'
import { templateIdOf } from './template.ts'

type Request = ApiRequest<unknown, CreateCluster>

/** @throws InvalidRequest for options of a kubeconfig that is not there, and what `takeKubeconfig` throws */
const takenFrom = (request: Request): TakenKubeconfig | null => {
  const { kubeconfig, context, insecure_skip_tls_verify: insecure, server_for_peers: serverForPeers } = request.body
  if (kubeconfig !== undefined) {
    return takeKubeconfig(request, { kubeconfig, context, allowInsecure: insecure ?? false, serverForPeers })
  }
  if (context === undefined && insecure === undefined && serverForPeers === undefined) return null
  throw new InvalidRequest('"context", "insecure_skip_tls_verify" and "server_for_peers" go with a "kubeconfig" only.')
}

/** Decides, commits and starts; nothing is stored when anything is wrong. */
const register = async (request: Request, remember: (id: string) => Write[]): Promise<string> => {
  const { ports, principal, body, minor } = request
  demandCountAllowed(body.node_count, minor)
  const templateId = templateIdOf(body, minor)
  const driver = chooseClusterDriver(ports.drivers, body)
  const taken = takenFrom(request)
  const operation = newOperation(ports, 'create', { deadlineSeconds: DEADLINE_SECONDS['cluster-create'] })
  const endpoint = taken?.endpoint ?? null
  const cluster = newCluster(body, { id: ports.newId(), principal, driver, templateId, endpoint, operation })
  const { clusters, credentials, commit } = ports.stores
  await commit([
    clusters.insert(cluster),
    ...(taken === null ? [] : [await credentials.seal(kubeconfigKey(cluster), taken.credential)]),
    ownerEvent(
      ports,
      'cluster',
      { ...cluster, revision: 0 },
      {
        action: 'create',
        outcome: 'pending',
        reason: 'Requested',
        message: `Cluster ${cluster.name} is being created.`,
      },
    ),
    ...remember(cluster.id),
  ])
  await launch(ports, { flow: 'cluster-create', projectId: cluster.projectId, entityId: cluster.id, operation })
  return cluster.id
}

/** `POST /v1/clusters` (magnum-rest.md 4.1, design section 2). Readable the instant the 202 is out. */
export const createClusterHandler = async (request: Request): Promise<ApiResponse> => {
  const uuid = await createOnce(request, 'POST /v1/clusters', (remember) => register(request, remember))
  return { status: 202, body: { uuid } }
}
