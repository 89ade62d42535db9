import type { Cluster } from '../core/cluster/cluster.ts'
import type { Federation } from '../core/federation/federation.ts'
import type { Membership } from '../core/membership/membership.ts'
import type { Write } from './write.ts'

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
  /**
   * Gives a proof to what was stored by a release that gave none; no write where there is one. Whoever calls it vouches for the item: only where nobody
   * else can write the table. Conflict: RevisionConflict.
   */
  adoptCluster(cluster: Cluster): Write
  adoptFederation(federation: Federation): Write
  adoptMembership(membership: Membership): Write
}
