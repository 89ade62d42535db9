import type { CertificateStore } from './certificate.store.ts'
import type { ClusterStore } from './cluster.store.ts'
import type { ClusterTemplateStore } from './cluster-template.store.ts'
import type { CredentialStore } from './credential.store.ts'
import type { EventStore } from './event.store.ts'
import type { FederationStore } from './federation.store.ts'
import type { HeartbeatStore } from './heartbeat.store.ts'
import type { IdempotencyStore } from './idempotency.store.ts'
import type { IntegrityStore } from './integrity.store.ts'
import type { ManagementStore } from './management.store.ts'
import type { MembershipStore } from './membership.store.ts'
import type { NodeGroupStore } from './node-group.store.ts'
import type { QuotaStore } from './quota.store.ts'
import type { WorkStore } from './work.store.ts'
import type { Commit } from './write.ts'

/** All state of fedplane, and the one way to write it. */
export type Stores = {
  clusters: ClusterStore
  templates: ClusterTemplateStore
  nodeGroups: NodeGroupStore
  management: ManagementStore
  certificates: CertificateStore
  quotas: QuotaStore
  heartbeats: HeartbeatStore
  federations: FederationStore
  memberships: MembershipStore
  credentials: CredentialStore
  integrity: IntegrityStore
  events: EventStore
  idempotency: IdempotencyStore
  work: WorkStore
  commit: Commit
}
