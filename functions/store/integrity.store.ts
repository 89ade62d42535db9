import type { Cluster } from '../domain/cluster.ts'
import type { Federation } from '../domain/federation.ts'
import type { Membership } from '../domain/membership.ts'

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
}
