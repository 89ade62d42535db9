import { membershipEntityId } from '../../core/membership/membership.ts'
import type { IntegrityStore } from '../integrity.store.ts'
import { clusterFacts, type Facts, federationFacts, type ItemIntegrity, membershipFacts } from '../sealing/integrity.ts'
import type { Write } from '../write.ts'
import { type Action, asWrite } from './action.ts'
import { type EntityKind, revisionConflict } from './conflicts.ts'
import { clusterKey, federationKey, type ItemKey, membershipKey } from './keys.ts'

type Adopted = { projectId: string; revision: number; integrity?: string }

/** The proof alone, where there is none and nothing has changed since. */
const adopted = (read: Adopted, key: ItemKey, facts: Facts, [kind, id]: [EntityKind, string]): Write => {
  if (read.integrity !== undefined) return asWrite()
  const action: Action = {
    type: 'update',
    key,
    update: 'SET #integrity = :integrity',
    condition: '#revision = :read AND attribute_not_exists(#integrity)',
    values: { ':read': read.revision, ':integrity': '' },
    onConflict: () => revisionConflict(kind, id, read.revision),
    bound: { projectId: read.projectId, facts, read: null },
  }
  return asWrite(action)
}

/** Checks items as they were read. */
export const integrityStore = ({ check }: ItemIntegrity): IntegrityStore => ({
  requireCluster: (cluster) => check(cluster.projectId, clusterFacts(cluster), cluster.integrity),
  requireFederation: (federation) => check(federation.projectId, federationFacts(federation), federation.integrity),
  requireMembership: (membership) => check(membership.projectId, membershipFacts(membership), membership.integrity),
  adoptCluster: (cluster) => adopted(cluster, clusterKey(cluster), clusterFacts(cluster), ['cluster', cluster.id]),
  adoptFederation: (federation) =>
    adopted(federation, federationKey(federation), federationFacts(federation), ['federation', federation.id]),
  adoptMembership: (membership) =>
    adopted(membership, membershipKey(membership), membershipFacts(membership), [
      'membership',
      membershipEntityId(membership),
    ]),
})
