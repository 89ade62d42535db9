import { grantCandidate } from '../../core/cluster/cloud-grants.ts'
import type { Cluster } from '../../core/cluster/cluster.ts'
import { requestTask, type TaskRequest } from '../../core/cluster/cluster-tasks.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { requireRotatable } from '../certificates/require-rotatable.ts'
import { delegate, keeping } from '../cloud/delegate.ts'
import { findIntactCluster } from '../clusters/find-cluster.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'

const rotationOf = ({ name }: Cluster): TaskRequest => ({
  task: { kind: 'rotate-credential' },
  said: { reason: 'CredentialRotation', message: `The credential of cluster ${name} is being replaced.` },
})

/** Of a cluster that has application credentials of a user: the caller's take their place, and the cluster is his in the cloud then. */
const delegateAndRotate = async (request: KeysRequest, cluster: Cluster): Promise<void> => {
  const { ports } = request
  const grant = await delegate(request, cluster)
  await keeping(request, grant, async () => {
    const { change, writes } = await grantCandidate(ports, cluster, grant)
    await requestTask(ports, cluster, { ...rotationOf(cluster), change, writes })
  })
}

const decide = async (request: KeysRequest): Promise<string> => {
  const { ports } = request
  const cluster = await findIntactCluster(request)
  await requireRotatable(ports, cluster, { kind: 'rotate-credential' })
  await (cluster.cloud ? delegateAndRotate(request, cluster) : requestTask(ports, cluster, rotationOf(cluster)))
  return cluster.id
}

/**
 * `PATCH /v1/credentials/{cluster}` → 202 (magnum-rest.md 7.2): the driver puts a new credential in the place of the old one. For a
 * cluster whose machines are in a cloud it is made with the caller's token, before the 202.
 */
export const rotateCredential = async (request: KeysRequest): Promise<ApiResponse> => {
  const uuid = await retryOnConflict(() => decide(request))
  return { status: 202, body: { uuid } }
}
