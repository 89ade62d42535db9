import { ObjectNotVisible } from '../../core/errors.ts'
import { isUuid } from '../../core/values/ids.ts'
import { listEventsOf } from '../events/list-events.ts'
import type { PageQuery } from '../lists/list-query.ts'
import type { ApiRequest, ApiResponse } from '../route.ts'
import { findCluster } from './find-cluster.ts'

/** Where its events are: where it is, and once it is gone in the caller's project, by its id only. @throws ObjectNotVisible */
const placeOf = async (
  request: ApiRequest<PageQuery>,
): Promise<{ projectId: string; id: string; isKnown: boolean }> => {
  try {
    const { projectId, id } = await findCluster(request, 'cluster:get_one_all_projects')
    return { projectId, id, isKnown: true }
  } catch (error) {
    const { cluster: ident = '' } = request.params
    if (!(error instanceof ObjectNotVisible && isUuid(ident))) throw error
    return { projectId: request.principal.projectId, id: ident, isKnown: false }
  }
}

/** `GET /v1/clusters/{cluster}/events`: what happened, oldest first, also after the cluster is gone. An addition to Magnum's API. */
export const listClusterEvents = async (request: ApiRequest<PageQuery>): Promise<ApiResponse> => {
  const { isKnown, ...place } = await placeOf(request)
  return listEventsOf(request, {
    kind: 'cluster',
    ...place,
    noun: 'Cluster',
    collection: 'clusters',
    isThere: async () => isKnown,
  })
}
