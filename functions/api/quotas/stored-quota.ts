import type { TablePorts } from '../../core/ports.ts'
import { QUOTA_RESOURCE, type Quota } from '../../core/values/quota.ts'

/** Longest project id that a quota can have. */
const PROJECT_ID_MAX = 255

/** The quota that a path names; undefined when none is set, or none can be. */
export const storedQuota = async (
  ports: TablePorts,
  projectId: string,
  resource: string,
): Promise<Quota | undefined> => {
  if (resource !== QUOTA_RESOURCE || projectId.length > PROJECT_ID_MAX) return undefined
  return ports.stores.quotas.get(projectId)
}
