import type { Grant, GrantUse, Receiver } from '../core/grant/grant.ts'
import type { Write } from './write.ts'

export type GrantKey = Pick<Grant, 'projectId' | 'clusterId' | 'id'>

/** Grants of clusters to other projects and their federations. Reads are strongly consistent. */
export interface GrantStore {
  /** Undefined when there is none. @throws ItemCorrupt */
  get(key: GrantKey): Promise<Grant | undefined>
  /** Those of one cluster, in order of creation. */
  listOf(cluster: { projectId: string; id: string }): Promise<Grant[]>
  /** All that a project gave, by cluster. */
  given(projectId: string): Promise<Grant[]>
  /** All that a project or federation received, by cluster; of one cluster only with `clusterId`. */
  received(receiver: Receiver, clusterId?: string): Promise<Grant[]>

  /** New grant, with what its receiver finds it by. Counts for the limit of its project. Conflict: AlreadyExists. */
  insert(grant: Grant): Write
  /** Ends it from now on; its uses stay until they are removed. Conflict: RevisionConflict. */
  revoke(read: Grant, revokedAt: string): Write
  /** Removes it as it was read, with the uses that it had then. Conflict: RevisionConflict. */
  remove(read: Grant): Write
  /** Demands that it is as it was read, whatever uses it has. Several uses in one commit go into one call. Conflict: RevisionConflict. */
  addUses(read: Grant, uses: readonly GrantUse[]): Write
  /** An absent use, or a grant that is gone, is no error. */
  removeUses(key: GrantKey, uses: readonly GrantUse[]): Write
}
