import type { Stores } from '../../store/stores.ts'
import { IN_OWN_PROJECT, notFound } from '../not-found.ts'
import { atHandFirst, retryOnConflict } from '../operation/retry-on-conflict.ts'
import type { Federation } from './federation.ts'

/**
 * Decides on a federation as its caller saw it, and when that has changed meanwhile, on what it is then.
 *
 * @throws ObjectNotVisible when it is gone by then
 */
export const decideOn = <T>(
  { federations }: Pick<Stores, 'federations'>,
  seen: Federation,
  decide: (federation: Federation) => Promise<T>,
): Promise<T> => {
  const read = atHandFirst<Federation | undefined>(seen, () => federations.get(seen))
  return retryOnConflict(async () => {
    const federation = await read()
    if (federation === undefined) throw notFound('Federation', seen.id, IN_OWN_PROJECT)
    return decide(federation)
  })
}
