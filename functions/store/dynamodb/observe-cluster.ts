import type { ClusterObservation } from '../../domain/cluster.ts'
import type { ClusterKey } from '../cluster.store.ts'
import { RevisionConflict } from '../errors.ts'
import type { Commit } from '../write.ts'
import { asWrite } from './action.ts'
import { clusterKey } from './keys.ts'

/** Something newer is stored (or exactly this), or the cluster is gone. Never leaves this file. */
class ObservationOutdated extends RevisionConflict {}

const NEWER_THAN_STORED =
  'attribute_exists(#pk) AND (attribute_not_exists(#observation.#observedAt) OR #observation.#observedAt < :observedAt)'

/** Stores what was seen unless something newer is stored, or the cluster is gone. True when it was stored. */
export const observeCluster = async (
  commit: Commit,
  key: ClusterKey,
  observation: ClusterObservation,
): Promise<boolean> => {
  try {
    await commit([
      asWrite({
        type: 'update',
        key: clusterKey(key),
        update: 'SET #observation = :observation',
        condition: NEWER_THAN_STORED,
        values: { ':observation': observation, ':observedAt': observation.observedAt },
        onConflict: () => new ObservationOutdated(`The observation of cluster ${key.id} is outdated.`),
      }),
    ])
    return true
  } catch (error) {
    if (error instanceof ObservationOutdated) return false
    throw error
  }
}
