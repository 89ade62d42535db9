import { RevisionConflict } from '../errors.ts'
import type { Commit } from '../write.ts'
import { asWrite } from './action.ts'
import type { ItemKey } from './keys.ts'

/** Something newer is stored (or exactly this), or the entity is gone. Never leaves this file. */
class ObservationOutdated extends RevisionConflict {}

const NEWER_THAN_STORED =
  'attribute_exists(#pk) AND (attribute_not_exists(#observation.#observedAt) OR #observation.#observedAt < :observedAt)'

/** Stores what was seen unless something newer is stored, or the entity is gone. True when it was stored. */
export const observe = async (commit: Commit, key: ItemKey, observation: { observedAt: string }): Promise<boolean> => {
  try {
    await commit([
      asWrite({
        type: 'update',
        key,
        update: 'SET #observation = :observation',
        condition: NEWER_THAN_STORED,
        values: { ':observation': observation, ':observedAt': observation.observedAt },
        onConflict: () => new ObservationOutdated(`The observation of ${key.sk} is outdated.`),
      }),
    ])
    return true
  } catch (error) {
    if (error instanceof ObservationOutdated) return false
    throw error
  }
}
