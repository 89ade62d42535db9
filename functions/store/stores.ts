import type { ClusterStore } from './cluster.store.ts'
import type { CredentialStore } from './credential.store.ts'
import type { EventStore } from './event.store.ts'
import type { FederationStore } from './federation.store.ts'
import type { IdempotencyStore } from './idempotency.store.ts'
import type { MembershipStore } from './membership.store.ts'
import type { WorkStore } from './work.store.ts'
import type { Commit } from './write.ts'

/** All state of fedplane, and the one way to write it. */
export type Stores = {
  clusters: ClusterStore
  federations: FederationStore
  memberships: MembershipStore
  credentials: CredentialStore
  events: EventStore
  idempotency: IdempotencyStore
  work: WorkStore
  commit: Commit
}
