import { isAppError } from '../../core/values/app-error.ts'
import { clusterLimit } from '../quotas/cluster-limit.ts'
import type { ApiRequest } from '../route.ts'

/**
 * Does something that makes a cluster, with a place of the caller's project taken for it (magnum-rest.md 4.1), and gives the place back
 * when that is refused. After a failure whose outcome is unknown the place stays taken: the store counts anew when places run out.
 *
 * @throws QuotaReached
 */
export const withQuotaPlace = async <T>(
  request: Pick<ApiRequest, 'ports' | 'settings' | 'principal'>,
  make: () => Promise<T>,
): Promise<T> => {
  const { quotas } = request.ports.stores
  const { projectId } = request.principal
  await quotas.takePlace(projectId, await clusterLimit(request))
  try {
    return await make()
  } catch (error) {
    if (isAppError(error)) await quotas.freePlace(projectId)
    throw error
  }
}
