import { rotateClusterAuthority } from '../../core/cluster/rotate-cluster.ts'
import { findIntactCluster } from '../clusters/find-cluster.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { requireTls } from './held-authority.ts'

/**
 * `PATCH /v1/certificates/{cluster}` → 202 (magnum-rest.md 7.1). The present authorities stay in use until the cluster has the new
 * ones; certificates of the old ones are worth nothing afterwards.
 */
export const rotateAuthority = async (request: KeysRequest): Promise<ApiResponse> => {
  const findCluster = async () => {
    const cluster = await findIntactCluster(request)
    requireTls(cluster)
    return cluster
  }
  const { id: uuid } = await rotateClusterAuthority(request.ports, { findCluster })
  return { status: 202, body: { uuid } }
}
