import type { Membership } from '../core/membership/membership.ts'
import type { Write } from './write.ts'

export type MembershipKey = { projectId: string; federationId: string; clusterId: string }

/** Memberships: one item per member of a federation, each with its own revision and operation. Reads are strongly consistent. */
export interface MembershipStore {
  /** Undefined when there is none. @throws ItemCorrupt */
  get(key: MembershipKey): Promise<Membership | undefined>
  /** All memberships of a federation, by cluster id. */
  listOf(federation: { projectId: string; id: string }): Promise<Membership[]>
  /** Ids of the federations that have the cluster as a member in any state. Reads all memberships of the project: for what is seldom asked. */
  federationsOf(cluster: { projectId: string; id: string }): Promise<string[]>

  /** New membership. Conflict: AlreadyExists. */
  insert(membership: Membership): Write
  /** Puts `next` in place of the membership as it was read; `next.revision` is set to `read.revision + 1`. Conflict: RevisionConflict. */
  replace(read: Membership, next: Membership): Write
  /** Removes the membership as it was read. Conflict: RevisionConflict. */
  remove(read: Membership): Write
}
