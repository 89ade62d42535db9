import type { PlannedManagement } from '../../drivers/contract/cluster-driver-description.ts'
import type { Ports } from '../ports.ts'
import type { Cluster, ManagementRole } from './cluster.ts'

/** A registered cluster that has the role. */
export type ManagementCluster = Cluster & { management: ManagementRole }

/** True for a cluster through which others are, or may be, made. */
export const isManagementCluster = (cluster: Cluster | undefined): cluster is ManagementCluster =>
  cluster?.management !== undefined && cluster.management !== null

/** A management cluster as a driver's `check` sees it. */
export const asPlanned = ({ id, name, management }: ManagementCluster): PlannedManagement => ({
  id,
  name,
  options: management.options,
})

/** The management cluster that a cluster is made through; undefined when there is none, or it is no longer one. */
export const managementOf = async (
  { stores }: Pick<Ports, 'stores'>,
  { madeThrough }: Pick<Cluster, 'madeThrough'>,
): Promise<ManagementCluster | undefined> => {
  if (madeThrough === undefined || madeThrough === null) return undefined
  const cluster = await stores.clusters.get(madeThrough)
  return isManagementCluster(cluster) ? cluster : undefined
}

/** The same for a driver's `check`; null when there is none. */
export const plannedManagement = async (
  ports: Pick<Ports, 'stores'>,
  cluster: Pick<Cluster, 'madeThrough'>,
): Promise<PlannedManagement | null> => {
  const management = await managementOf(ports, cluster)
  return management === undefined ? null : asPlanned(management)
}
