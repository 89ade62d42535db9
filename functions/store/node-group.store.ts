import type { NodeGroup, NodeGroupChange } from '../core/cluster/node-group.ts'
import type { Write } from './write.ts'

export type NodeGroupKey = { projectId: string; clusterId: string; id: string }

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
