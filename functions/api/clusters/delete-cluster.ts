import type { Cluster } from '../../core/cluster/cluster.ts'
import { deleteCluster } from '../../core/cluster/delete-cluster.ts'
import { storeDeletion } from '../cloud/store-deletion.ts'
import { requirePolicy } from '../policy.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'
import { findCluster } from './find-cluster.ts'

type Request = KeysRequest<{ force: boolean }>

/** What can't be taken down is left where it is, which may cost somebody else money: a rule of its own. @throws PolicyForbids */
const requireMayForce = (request: Request, { projectId, userId }: Cluster): void => {
  if (request.query.force) requirePolicy(request, 'cluster:force_delete', { projectId, userId })
}

/**
 * `DELETE /v1/clusters/{cluster}` → 204 (magnum-rest.md 4.4). Reads `DELETE_IN_PROGRESS` until it is gone; a running create or update is
 * replaced, and what waits behind it is dropped. A cluster that a federation uses stays, and so does one through which others are made. With
 * `?force=true`, also of a deletion that runs, what can't be taken down soon is left, and reported by the last event.
 */
export const deleteClusterHandler = async (request: Request): Promise<ApiResponse> => {
  await deleteCluster(request.ports, {
    findCluster: async () => {
      const cluster = await findCluster(request, 'cluster:delete_all_projects')
      requireMayForce(request, cluster)
      return cluster
    },
    force: request.query.force,
    storeDeletion: (cluster, store) => storeDeletion(request, cluster, store),
  })
  return { status: 204 }
}
