import { grantCandidate } from '../../core/cluster/cloud-grants.ts'
import { type CredentialRules, rotateClusterCredential } from '../../core/cluster/rotate-cluster.ts'
import { delegate, keeping } from '../cloud/delegate.ts'
import { findIntactCluster } from '../clusters/find-cluster.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'

/** Of a cluster that has application credentials of a user: the caller's take their place, and the cluster is his in the cloud then. */
const storeDelegated =
  (request: KeysRequest): CredentialRules['storeDelegated'] =>
  async (cluster, store) => {
    if (!cluster.cloud) return store({ change: {}, writes: [] })
    const grant = await delegate(request, cluster)
    await keeping(request, grant, async () => store(await grantCandidate(request.ports, cluster, grant)))
  }

/**
 * `PATCH /v1/credentials/{cluster}` → 202 (magnum-rest.md 7.2): the driver puts a new credential in the place of the old one. For a
 * cluster whose machines are in a cloud it is made with the caller's token, before the 202.
 */
export const rotateCredential = async (request: KeysRequest): Promise<ApiResponse> => {
  const { id: uuid } = await rotateClusterCredential(request.ports, {
    findCluster: () => findIntactCluster(request),
    storeDelegated: storeDelegated(request),
  })
  return { status: 202, body: { uuid } }
}
