import type { IntegrityStore } from '../integrity.store.ts'
import { clusterFacts, federationFacts, type ItemIntegrity, membershipFacts } from '../sealing/integrity.ts'

/** Checks items as they were read. */
export const integrityStore = ({ check }: ItemIntegrity): IntegrityStore => ({
  requireCluster: (cluster) => check(cluster.projectId, clusterFacts(cluster), cluster.integrity),
  requireFederation: (federation) => check(federation.projectId, federationFacts(federation), federation.integrity),
  requireMembership: (membership) => check(membership.projectId, membershipFacts(membership), membership.integrity),
})
