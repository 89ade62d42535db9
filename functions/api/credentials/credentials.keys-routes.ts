import { grantCandidate } from '../../core/cluster/cloud-grants.ts'
import { type CredentialRules, rotateClusterCredential } from '../../core/cluster/rotate-cluster.ts'
import { noAttributes } from '../body/attributes.ts'
import { delegate, keeping } from '../cloud/delegate.ts'
import { findIntactCluster } from '../clusters/find-cluster.ts'
import { noQuery } from '../query.ts'
import { type ApiResponse, type KeysRequest, type Route, route } from '../route.ts'

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
const rotateCredential = async (request: KeysRequest): Promise<ApiResponse> => {
  const { id: uuid } = await rotateClusterCredential(request.ports, {
    findCluster: () => findIntactCluster(request),
    storeDelegated: storeDelegated(request),
  })
  return { status: 202, body: { uuid } }
}

/** What the caller delegates to a cluster in the cloud is sealed. */
export const CREDENTIAL_KEYS_ROUTES: readonly Route[] = [
  route({
    method: 'PATCH',
    path: '/v1/credentials/{cluster}',
    access: 'keys',
    rule: 'credential:rotate',
    minVersion: 12,
    schemas: { query: noQuery, body: noAttributes },
    summary: "Replaces the cluster's credential.",
    handle: rotateCredential,
  }),
]
