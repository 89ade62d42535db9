import type { Cluster } from '../../core/cluster/cluster.ts'
import type { ClusterTemplate } from '../../core/cluster/cluster-template.ts'
import type { ApiRequest } from '../route.ts'
import { standInTemplate } from './choose-origin.ts'

/** The template that a cluster was made from or upgraded to last, for its driver's checks; null when its driver makes no nodes. */
export const templateOfCluster = async (
  { ports }: Pick<ApiRequest, 'ports'>,
  { driver: driverId, magnum }: Cluster,
): Promise<ClusterTemplate | null> => {
  const driver = ports.drivers.cluster.resolve(driverId)
  if (!driver.capabilities.makesNodes) return null
  const { templateProjectId: projectId, clusterTemplateId: id } = magnum
  const stored = projectId === null ? undefined : await ports.stores.templates.get({ projectId, id })
  return stored ?? (projectId === null ? standInTemplate(driver) : null)
}
