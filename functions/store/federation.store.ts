import type { ControlPlaneObservation, Federation, FederationUpdate } from '../core/federation/federation.ts'
import type { Membership } from '../core/membership/membership.ts'
import type { Page, PageRequest } from './page.ts'
import type { Write } from './write.ts'

export type FederationKey = { projectId: string; id: string }

/** A host cluster as a project has it registered: the uid is what the cluster says of itself. */
export type HostIdentity = { projectId: string; uid: string }

/** Federations without their memberships (`MembershipStore`). Reads are strongly consistent. */
export interface FederationStore {
  /** Undefined when there is none. @throws ItemCorrupt */
  get(key: FederationKey): Promise<Federation | undefined>
  /** Ids of the federations with this name, oldest first: names are not unique. */
  findByName(projectId: string, name: string): Promise<string[]>
  list(projectId: string, page: PageRequest): Promise<Page<Federation>>

  /** New federation with its name index. Conflict: AlreadyExists. */
  insert(federation: Federation): Write
  /**
   * Sets fields of the federation as it was read, adds 1 to `revision`, and in the same write adds and removes member ids.
   * Conflict: RevisionConflict.
   */
  change(
    read: Federation,
    update: FederationUpdate,
    memberIds?: { add?: readonly string[]; remove?: readonly string[] },
  ): Write
  /** Takes one id out of `memberIds` without bumping the revision; an absent id or federation is no error. */
  removeMemberId(key: FederationKey, clusterId: string): Write
  /** Removes the federation as it was read, with its name index. Conflict: RevisionConflict. */
  remove(read: Federation): Write

  /** Stores what was seen unless something newer is stored, or the federation is gone. True when it was stored. */
  observe(key: FederationKey, observation: ControlPlaneObservation): Promise<boolean>
  /** Claims a namespace of a host cluster within the project. Claiming again for the same federation is no error. Conflict: ReservationTaken. */
  claimNamespace(host: HostIdentity, namespace: string, federationId: string): Write
  /** Gives the claim up if it is this federation's. */
  releaseNamespace(host: HostIdentity, namespace: string, federationId: string): Write
}

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
