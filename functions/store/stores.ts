import type { Cluster } from '../core/cluster/cluster.ts'
import type { Federation } from '../core/federation/federation.ts'
import type { Grant } from '../core/grant/grant.ts'
import type { Membership } from '../core/membership/membership.ts'
import type { DomainEvent, EventOwner } from '../core/values/event.ts'
import type { Quota, QuotaResource } from '../core/values/quota.ts'
import type { ClusterStore, ManagementStore, NodeGroupStore } from './cluster.store.ts'
import type { ClusterTemplateStore } from './cluster-template.store.ts'
import type { CertificateStore, CredentialStore } from './credential.store.ts'
import type { FederationStore, MembershipStore } from './federation.store.ts'
import type { GrantStore } from './grant.store.ts'
import type { InventoryStore } from './inventory.store.ts'
import type { HookStore, ObserveRequestStore } from './observe.store.ts'
import type { Page, PageRequest } from './page.ts'
import type { SelectorStore } from './selector.store.ts'
import type { TriggerStore } from './trigger.store.ts'
import type { PutOffStore, WorkStore } from './work.store.ts'
import type { Commit, Write } from './write.ts'

/** History of entities, kept 30 days (TTL) and readable after the entity is gone. */
export interface EventStore {
  /** Goes into the commit that makes it true. */
  append(event: DomainEvent): Write
  /** Oldest first. */
  listOf(projectId: string, owner: EventOwner, page: PageRequest): Promise<Page<DomainEvent>>
  /** Puts an event of the stream into its project's feed. Those of a project one after the other, in the stream's order; can be done twice. */
  publish(entry: FeedEntry): Promise<void>
  /** The project's feed after a position, oldest first: what the stream had later is never found before what it had earlier. */
  feed(projectId: string, page: FeedPage): Promise<{ items: FeedEntry[]; more: boolean }>
  /** Position of the newest event in a project's feed; undefined when there is none. */
  lastPosition(projectId: string): Promise<string | undefined>
}

/** An event and where it stands in its project's feed. */
export type FeedEntry = {
  /** Sequence number of the table's stream, decimal without leading zeros: rises within a project. */
  position: string
  event: DomainEvent
}

/** What of a feed is wanted. */
export type FeedPage = {
  limit: number
  /** A position: what comes after it. Default: from the oldest that is kept. */
  after?: string | undefined
  /** ISO-8601 UTC: nothing that happened before. Default: everything. */
  since?: string | undefined
}

/** Who streams events of a project, where each stream has a process of its own. */
export interface StreamPlaceStore {
  /** Takes one of `max` places until then (ISO-8601); undefined when there is none. */
  take(taking: { projectId: string; id: string; until: string; max: number }): Promise<number | undefined>
  /** One that is another's by now is no error. */
  leave(place: { projectId: string; id: string; place: number }): Promise<void>
}

/** One scheduled worker, as `GET /v1/mservices` shows it. */
export type Heartbeat = {
  /** From 1, in the order in which they first reported. */
  number: number
  /** Which worker: `reconciler`, `health-sweep`, `renewals`. */
  host: string
  reportCount: number
  createdAt: string
  /** When it last reported. */
  updatedAt: string
}

/** Signs of life of the scheduled workers. */
export interface HeartbeatStore {
  /** Notes that a worker ran now. */
  beat(host: string): Promise<void>
  /** All that ever reported, by `number`. */
  list(): Promise<Heartbeat[]>
}

/** What an earlier request with the same `Idempotency-Key` made. Kept 24 h. */
export type IdempotentResult = { fingerprint: string; entityId: string }

/** `Idempotency-Key` of creating requests: written in the creating transaction. */
export interface IdempotencyStore {
  /** Undefined when the key is new or older than 24 h. */
  get(projectId: string, key: string): Promise<IdempotentResult | undefined>
  /** Conflict: ReservationTaken (a request with the same key committed meanwhile: read it and answer with it). */
  remember(projectId: string, key: string, result: IdempotentResult): Write
}

/**
 * Says whether items are as fedplane's own functions with rights on keys wrote them, as far as they lead to credentials. Asked before a credential is
 * opened for them, sent where they say, or given to whom they name. Every write of such facts keeps `integrity` by itself.
 */
export interface IntegrityStore {
  /** @throws ItemAltered, KeyAccessMissing */
  requireCluster(cluster: Cluster): Promise<void>
  /** @throws ItemAltered, KeyAccessMissing */
  requireFederation(federation: Federation): Promise<void>
  /** @throws ItemAltered, KeyAccessMissing */
  requireMembership(membership: Membership): Promise<void>
  /** @throws ItemAltered, KeyAccessMissing */
  requireGrant(grant: Grant): Promise<void>
  /**
   * Gives a proof to what was stored by a release that gave none; no write where there is one. Whoever calls it vouches for the item: only where nobody
   * else can write the table. Conflict: RevisionConflict.
   */
  adoptCluster(cluster: Cluster): Write
  adoptFederation(federation: Federation): Write
  adoptMembership(membership: Membership): Write
}

/** Quotas of all projects, and how much of them is taken. */
export interface QuotaStore {
  /** Undefined when none is set. Strongly consistent. @param resource default: Magnum's `Cluster` */
  get(projectId: string, resource?: QuotaResource): Promise<Quota | undefined>
  /** All projects' quotas by `number`. Strongly consistent. */
  list(): Promise<Quota[]>
  /** The next free `number`; one that is taken and not used leaves a gap. */
  nextNumber(): Promise<number>
  /** New quota. Conflict: AlreadyExists. */
  insert(quota: Quota): Write
  /** Conflict: RevisionConflict. */
  change(read: Quota, change: Pick<Quota, 'hardLimit' | 'updatedAt'>): Write
  /** Conflict: RevisionConflict. */
  remove(read: Quota): Write

  /**
   * Takes one place of the project's clusters, before the cluster is stored: exact under concurrency, and of no conflict with others. A
   * count that was left too high by a crash is repaired by counting, once it has been at rest for a minute.
   *
   * @throws QuotaReached when `limit` clusters are there already
   */
  takePlace(projectId: string, limit: number): Promise<void>
  /** Gives a place back, once, after the cluster is gone or was not stored. Never below none; an absent count is no error. */
  freePlace(projectId: string): Promise<void>
}

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
  grants: GrantStore
  credentials: CredentialStore
  integrity: IntegrityStore
  inventory: InventoryStore
  events: EventStore
  idempotency: IdempotencyStore
  triggers: TriggerStore
  observeRequests: ObserveRequestStore
  hooks: HookStore
  selectors: SelectorStore
  work: WorkStore
  putOff: PutOffStore
  streamPlaces: StreamPlaceStore
  commit: Commit
}
