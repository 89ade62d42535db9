import { type Cluster, type FederationUse, federationUses } from '../../core/cluster/cluster.ts'
import { notFound, StateConflict } from '../../core/errors.ts'
import { endUse } from '../../core/grant/end-uses.ts'
import { ownerEvent } from '../../core/operation/events.ts'
import { retryOnConflict } from '../../core/operation/retry-on-conflict.ts'
import { quote } from '../../core/values/wording.ts'
import { findCluster } from '../clusters/find-cluster.ts'
import type { ApiResponse, KeysRequest } from '../route.ts'

/** As what a federation of another project uses the cluster; its host goes with the federation, members and all. @throws ObjectNotVisible, StateConflict */
const useToEnd = (cluster: Cluster, id: string): FederationUse => {
  const uses = federationUses(cluster).filter(({ federation }) => federation.id === id)
  const use = uses.find(({ side }) => side === 'host') ?? uses[0]
  if (use === undefined) throw notFound('Federation', id, ` among those that use cluster ${quote(cluster.name)}`)
  if (use.federation.projectId !== cluster.projectId) return use
  throw new StateConflict(
    `The federation ${id} is of your own project. Unjoin the cluster with PATCH /v1/federations/${id}, or delete the federation.`,
  )
}

/**
 * `DELETE /v1/clusters/{cluster}/federations/{federation}` → 202: takes the cluster out of a federation of another project. A member is unjoined; a federation that
 * has it as its host is deleted. With `?force=true` what can't be reached is skipped, such as a host that is dead. The grant stays.
 */
export const leaveFederation = async (request: KeysRequest<{ force: boolean }>): Promise<ApiResponse> => {
  const { ports, params, query } = request
  const { federation: id = '' } = params
  const cluster = await findCluster(request)
  const { side, federation } = useToEnd(cluster, id)
  const use = { side, federationId: id, projectId: federation.projectId }
  if (!(await endUse(ports, use, { clusterId: cluster.id, force: query.force }))) throw notFound('Federation', id)
  await retryOnConflict(async () => {
    const now = await findCluster(request)
    await ports.stores.commit([
      ports.stores.clusters.change(now, {}),
      ownerEvent(ports, 'cluster', now, {
        action: 'update',
        notify: false,
        outcome: 'success',
        reason: 'LeaveRequested',
        message: `Cluster ${now.name} leaves federation ${id} of project ${federation.projectId}${query.force ? ', by force' : ''}.`,
      }),
    ])
  })
  return { status: 202, body: { uuid: id } }
}
