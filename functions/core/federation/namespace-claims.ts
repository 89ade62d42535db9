import type { Stores } from '../../store/stores.ts'
import type { Write } from '../../store/write.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Federation } from './federation.ts'

/**
 * Claims of a host's namespaces for a federation, so that of two creates of one project the second is refused at once. Within the project only: a
 * uid is what an API server says of itself, and an impostor that repeats another cluster's could else claim the namespaces of the real one.
 * Across projects the namespace in the host has the last word: drivers mark it conditionally (decision 0028). The flows give claims
 * back under the same identity; a host that has none holds no namespaces.
 */
export const namespaceClaims = (
  { federations }: Pick<Stores, 'federations'>,
  host: Pick<Cluster, 'identity'>,
  { projectId, id }: Pick<Federation, 'projectId' | 'id'>,
  namespaces: readonly string[],
): Write[] => {
  const uid = host.identity?.uid
  return uid === undefined
    ? []
    : namespaces.map((namespace) => federations.claimNamespace({ projectId, uid }, namespace, id))
}
