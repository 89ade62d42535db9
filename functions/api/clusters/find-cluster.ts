import type { Cluster } from '../../core/cluster/cluster.ts'
import { isReadRule, type PolicyRule } from '../../policy/rules.ts'
import { locate } from '../lookup.ts'
import { requirePolicy, requireRoleRule, scopeOf } from '../policy.ts'
import type { ApiRequest, KeysRequest } from '../route.ts'

/**
 * The cluster that the path parameter `cluster` names. With `allProjectsRule`, callers who have it find those of all projects. The
 * route's rule is asked again, now of this cluster, for policies that check its project or owner. Of a cluster with a role, whatever is no
 * mere read takes the right to change that role.
 *
 * @throws ObjectNotVisible, NameAmbiguous, PolicyForbids
 */
export const findCluster = async (request: ApiRequest, allProjectsRule?: PolicyRule): Promise<Cluster> => {
  const { ports, params } = request
  const scope = scopeOf(request, allProjectsRule)
  const cluster = await locate(ports.stores.clusters, 'Cluster', scope, params.cluster ?? '')
  requirePolicy(request, request.rule, cluster)
  if (!isReadRule(request.rule)) requireRoleRule(request, cluster)
  return cluster
}

/**
 * As `findCluster`, for what opens the cluster's credentials or changes where they lead: an owner, an address or a role that somebody wrote into the
 * table decides nothing.
 *
 * @throws ItemAltered besides
 */
export const findIntactCluster = async (request: KeysRequest, allProjectsRule?: PolicyRule): Promise<Cluster> => {
  const cluster = await findCluster(request, allProjectsRule)
  await request.ports.stores.integrity.requireCluster(cluster)
  return cluster
}
