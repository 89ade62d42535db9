import type { Cluster } from '../../domain/cluster.ts'
import type { Stores } from '../../store/stores.ts'
import type { Write } from '../../store/write.ts'

/**
 * Claims of a host's namespaces for a federation, across projects: whoever has the host registered. The flows give them back under the
 * same identity; a host that has none holds no namespaces.
 */
export const namespaceClaims = (
  { federations }: Pick<Stores, 'federations'>,
  host: Pick<Cluster, 'identity'>,
  federationId: string,
  namespaces: readonly string[],
): Write[] => {
  const uid = host.identity?.uid
  return uid === undefined
    ? []
    : namespaces.map((namespace) => federations.claimNamespace(uid, namespace, federationId))
}
