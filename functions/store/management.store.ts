import type { ManagementRole } from '../core/cluster/cluster.ts'
import type { DriverId } from '../core/values/ids.ts'
import type { ClusterKey } from './cluster.store.ts'
import type { Write } from './write.ts'

/** A management cluster, whichever project it is of. What else there is to know of it is in the cluster. */
export type ManagementEntry = ClusterKey & {
  /** Of the clusters that are made through it. */
  driver: DriverId
  /** Clusters that are made through it, in all projects. */
  clusterCount: number
}

/** The management clusters of all projects: who they are, how many clusters each makes, and which is the default one of a driver. */
export interface ManagementStore {
  /** Those of a driver, by id: a few. Strongly consistent. */
  list(driver: DriverId): Promise<ManagementEntry[]>
  /**
   * Goes with each change of a cluster's role. Everything but the default demands that no cluster is made through it. Conflicts:
   * ManagementInUse, and DefaultManagementTaken when another one is the default of the driver.
   */
  move(key: ClusterKey, before: ManagementRole | null, after: ManagementRole | null): Write
  /**
   * Counts one cluster that is made through it more, or one less. More demands that it is a management cluster of the driver. Conflict:
   * ManagementGone. Less is no error when it is gone.
   */
  countUse(id: string, driver: DriverId, change: 1 | -1): Write
}
