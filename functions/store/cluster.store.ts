import type { Cluster, ClusterChange, ClusterObservation, ClusterUse, ManagementRole } from '../core/cluster/cluster.ts'
import type { NodeGroup, NodeGroupChange } from '../core/cluster/node-group.ts'
import type { DriverId } from '../core/values/ids.ts'
import type { Page, PageRequest, Scope } from './page.ts'
import type { Write } from './write.ts'

/** A cluster's key. */
export type ClusterKey = { projectId: string; id: string }

/** A cluster that is to be used, with the role that it had when the use was decided. */
export type UsableCluster = ClusterKey & Pick<Cluster, 'management'>

/** What a change of a cluster demands besides its revision. */
export type ChangeGuard = {
  /** No federation uses it. */
  unlessUsed?: boolean
  /** Federations use it as when it was read: uses bump no revision. */
  usesAsRead?: boolean
  /** This is the only use, and ends with the change. */
  lastUse?: ClusterUse
}

/** Clusters of all drivers. Reads are strongly consistent. */
export interface ClusterStore {
  /** Undefined when there is none. @throws ItemCorrupt */
  get(key: ClusterKey): Promise<Cluster | undefined>
  /** Many at once, in no order; absent ones are left out. */
  getMany(projectId: string, ids: readonly string[]): Promise<Cluster[]>
  /** Ids of the clusters with this name, oldest first: names are not unique. */
  findByName(projectId: string, name: string): Promise<string[]>
  list(projectId: string, page: PageRequest): Promise<Page<Cluster>>
  /** By id, as far as `reach` goes. */
  locate(reach: Scope, id: string): Promise<Cluster | undefined>
  /** Keys of the clusters with this name, own ones first, each oldest first. */
  locateByName(reach: Scope, name: string): Promise<ClusterKey[]>
  /** In order of creation; own ones strongly, others' eventually consistent. */
  listWithin(reach: Scope, page: PageRequest): Promise<Page<Cluster>>

  /** New cluster with its name index. Conflict: AlreadyExists. */
  insert(cluster: Cluster): Write
  /**
   * Sets fields of the cluster as it was read and adds 1 to `revision`. Conflict: RevisionConflict.
   * With `unlessUsed` the conflict is ClusterInUse, where that is the cause.
   */
  change(read: Cluster, change: ClusterChange, guard?: ChangeGuard): Write
  /** Removes the cluster as it was read, with its name index. Conflict: RevisionConflict. */
  remove(read: Cluster): Write
  /**
   * Marks it as used. Demands that it exists and has a `*_COMPLETE` or `UPDATE_*` status, and not DELETE_*: conflict ClusterNotUsable. Demands
   * also that it is a management cluster, or none, as it was given: conflict RevisionConflict. Bumps no revision. Several uses of one cluster in one commit go into one call.
   * With `revision` it must be as it was read: conflict RevisionConflict.
   */
  addUses(cluster: UsableCluster, uses: readonly ClusterUse[], revision?: number): Write
  /** Takes marks away, and `told` with them, since a use may come back; absent marks and a cluster that is gone are no error. */
  removeUses(key: ClusterKey, uses: readonly ClusterUse[]): Write

  /**
   * Stores what was seen unless something newer is stored, or the cluster is gone. `consequence` is stored with it, or neither: then what is stored must
   * still be the observation that was read, too. True when it was stored.
   */
  observe(
    key: ClusterKey,
    observation: ClusterObservation,
    consequence?: { read: ClusterObservation | null; writes: readonly Write[] },
  ): Promise<boolean>
  /** Replaces `told`. No error when the cluster is gone. Bumps no revision: a lost note has a control plane told once more. */
  noteReported(key: ClusterKey, told: Readonly<Record<string, string>>): Write
  /** Keys of the clusters that the cloud's own events call so, in all projects. Eventually consistent. */
  findByCloudName(name: string): Promise<ClusterKey[]>
  /** Has it found by that name. Noting it again is no error. */
  noteCloudName(key: ClusterKey, name: string): Write
  /** One that is absent is no error. */
  removeCloudName(key: ClusterKey, name: string): Write
  /**
   * Claims the identity of a cluster within a project: at most one registration per `kube-system` uid. Claiming again for the same
   * cluster is no error. Conflict: ReservationTaken with `details.owner` = id of the other cluster.
   */
  claimUid(projectId: string, uid: string, clusterId: string): Write
  /** Gives the claim up if it is this cluster's. */
  releaseUid(projectId: string, uid: string, clusterId: string): Write
}

type NodeGroupKey = { projectId: string; clusterId: string; id: string }

/** Node groups: one item each, written together with their cluster. Reads are strongly consistent. */
export interface NodeGroupStore {
  /** Undefined when there is none. @throws ItemCorrupt */
  get(key: NodeGroupKey): Promise<NodeGroup | undefined>
  /** All groups of a cluster, in order of creation. */
  listOf(cluster: { projectId: string; id: string }): Promise<NodeGroup[]>

  /** New group. Conflict: AlreadyExists. */
  insert(group: NodeGroup): Write
  /** Sets fields of the group as it was read and adds 1 to `revision`. Conflict: RevisionConflict. */
  change(read: NodeGroup, change: NodeGroupChange): Write
  /** Removes the group as it was read. Conflict: RevisionConflict. */
  remove(read: NodeGroup): Write
}

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
