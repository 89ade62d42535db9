import type { Cluster } from '../../domain/cluster.ts'
import type { PolicyRule } from '../../policy/rules.ts'
import { locate } from '../lookup.ts'
import { reachOf } from '../reach.ts'
import type { ApiRequest } from '../route.ts'

/**
 * The cluster that the path parameter `cluster` names. With `allProjectsRule`, callers who have it find those of all projects.
 *
 * @throws ObjectNotVisible, NameAmbiguous
 */
export const findCluster = (request: ApiRequest, allProjectsRule?: PolicyRule): Promise<Cluster> =>
  locate(request.ports.stores.clusters, 'Cluster', reachOf(request, allProjectsRule), request.params.cluster ?? '')
