import type { AuthorityType } from '../core/cluster/cluster.ts'
import type { Hook } from '../core/cluster/observe-request.ts'
import type { Membership } from '../core/membership/membership.ts'
import type { KubeconfigRole } from '../core/values/identity.ts'
import type { ObjectRef } from '../core/values/object-ref.ts'
import type { CredentialKey } from './credential.store.ts'
import type { Write } from './write.ts'

/** That a kubeconfig was handed out, and to whom; nothing of its credential. */
export type IssuedKubeconfig = {
  /** UUIDv7. */
  id: string
  projectId: string
  /** What it leads to. */
  of: { kind: 'federation' | 'cluster'; id: string }
  userId: string
  role: KubeconfigRole
  /** Null: for everything. */
  namespace: string | null
  /** ISO-8601 UTC. */
  expiresAt: string
  createdAt: string
  /** It was made, and handed out to nobody; what was made could not be removed yet. */
  isWithheld?: true
}

export type IssuedKey = Pick<IssuedKubeconfig, 'projectId' | 'of' | 'id'>

/** What an unjoin that was forced left of a federation in a member's cluster: one for each federation and cluster, until it is removed there. */
export type Leftover = {
  /** Of the cluster. */
  projectId: string
  clusterId: string
  federationId: string
  federationProjectId: string
  memberName: string
  /** That the accounts have; null: unknown. */
  rights: string | null
  objects: readonly ObjectRef[]
  createdAt: string
  /** ISO-8601 UTC. Later than now: somebody removes it just now. */
  dueAt: string
  /** From 1. */
  revision: number
}

export type LeftoverKey = Pick<Leftover, 'projectId' | 'clusterId' | 'federationId'>

/** Which certificate authorities there are. */
export type StoredAuthority = { clusterId: string; type: AuthorityType; candidate: boolean; certificatePem: string }

/** What a project's partition has of credentials, without their content. Reads are strongly consistent. */
export interface InventoryStore {
  /** Whose secrets are sealed, and which; the sealed bytes are not read. */
  sealed(projectId: string): Promise<CredentialKey[]>
  authorities(projectId: string): Promise<StoredAuthority[]>
  hooks(projectId: string): Promise<Hook[]>
  memberships(projectId: string): Promise<Membership[]>
  /** Those that have not expired. */
  issued(projectId: string): Promise<IssuedKubeconfig[]>
  /** Remembers one until it expires, and one of a cluster until it is forgotten. Conflict: AlreadyExists. */
  remember(issued: IssuedKubeconfig): Write
  /** Says that one was not handed out. Absent is no error. */
  withhold(key: IssuedKey): Write
  get(key: IssuedKey): Promise<IssuedKubeconfig | undefined>
  /** Of one cluster, or with `kind` of one federation: those that have expired, too. */
  issuedOf(of: { projectId: string; kind?: IssuedKubeconfig['of']['kind']; id: string }): Promise<IssuedKubeconfig[]>
  /** Absent is no error. */
  forget(key: IssuedKey): Write
  /** Of clusters, those that have expired and are not forgotten, the oldest first. Eventually consistent. */
  due(now: string): AsyncIterable<IssuedKey>
  /** In clusters of the project, and of its federations in clusters of others. */
  leftovers(projectId: string): Promise<Leftover[]>
  /** By the project of the cluster. */
  getLeftover(key: LeftoverKey): Promise<Leftover | undefined>
  /** Stores one for both projects; `read` is what was stored before. Conflict: RevisionConflict. */
  putLeftover(read: Leftover | undefined, next: Omit<Leftover, 'revision'>): Write
  /** As it was read. Conflict: RevisionConflict. */
  removeLeftover(read: Leftover): Write
  /** The longest due first. Eventually consistent. */
  dueLeftovers(now: string): AsyncIterable<LeftoverKey>
}
