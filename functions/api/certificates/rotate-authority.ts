import { sealNewAuthorities } from '../../core/cluster/certificate-authority.ts'
import { requestTask } from '../../core/cluster/cluster-tasks.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { findIntactCluster } from '../clusters/find-cluster.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { requireTls } from './held-authority.ts'
import { requireRotatable } from './require-rotatable.ts'

/** Reads, decides, commits. Each round makes new authorities: those of a lost round are thrown away unseen. */
const decide = async (request: KeysRequest): Promise<string> => {
  const { ports } = request
  const cluster = await findIntactCluster(request)
  const { id, projectId, name } = cluster
  requireTls(cluster)
  const task = { kind: 'rotate-authority' } as const
  await requireRotatable(ports, cluster, task)
  const { authorityKeys } = ports.drivers.cluster.resolve(cluster.driver)
  const owner = { projectId, clusterId: id, clusterName: name, authorityKeys }
  await requestTask(ports, cluster, {
    task,
    writes: await sealNewAuthorities(ports, owner, { candidate: true }),
    said: {
      reason: 'AuthorityRotation',
      message: `The certificate authorities of cluster ${name} are being replaced.`,
    },
  })
  return id
}

/**
 * `PATCH /v1/certificates/{cluster}` → 202 (magnum-rest.md 7.1). The present authorities stay in use until the cluster has the new
 * ones; certificates of the old ones are worth nothing afterwards.
 */
export const rotateAuthority = async (request: KeysRequest): Promise<ApiResponse> => {
  const uuid = await retryOnConflict(() => decide(request))
  return { status: 202, body: { uuid } }
}
