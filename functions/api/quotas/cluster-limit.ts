import type { ApiRequest } from '../route.ts'

/** A request, as far as it says where quotas are and who asks. */
type Asking = Pick<ApiRequest, 'ports' | 'settings' | 'principal'>

/** Clusters that a project may have: its quota, or the installation's default (magnum-rest.md 7.3). Default: the caller's project. */
export const clusterLimit = async (
  { ports, settings, principal }: Asking,
  projectId: string = principal.projectId,
): Promise<number> => (await ports.stores.quotas.get(projectId))?.hardLimit ?? settings.clustersPerProject
