import type { TablePorts } from '../ports.ts'
import { standInTemplate } from './builtin-templates.ts'
import type { Cluster } from './cluster.ts'
import type { ClusterTemplate } from './cluster-template.ts'

/** The template that a cluster was made from or upgraded to last, for its driver's checks; null when its driver makes no nodes. */
export const templateOfCluster = async (
  ports: Pick<TablePorts, 'stores' | 'drivers'>,
  { driver: driverId, magnum }: Cluster,
): Promise<ClusterTemplate | null> => {
  const driver = ports.drivers.cluster.resolve(driverId)
  if (!driver.capabilities.makesNodes) return null
  const { templateProjectId: projectId, clusterTemplateId: id } = magnum
  const stored = projectId === null ? undefined : await ports.stores.templates.get({ projectId, id })
  return stored ?? (projectId === null ? standInTemplate(driver) : null)
}
