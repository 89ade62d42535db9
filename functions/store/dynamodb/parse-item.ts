import type * as z from 'zod'
import { ItemCorrupt } from '../errors.ts'
import type { Item } from './read.ts'

/**
 * Reads an item by its schema.
 *
 * @throws ItemCorrupt naming the item and the attributes, never their values
 */
export const parseItem = <S extends z.ZodType>(schema: S, item: Item): z.output<S> => {
  const result = schema.safeParse(item)
  if (result.success) return result.data
  const attributes = [...new Set(result.error.issues.map(({ path }) => path.join('.')))]
  throw new ItemCorrupt(
    `The stored item ${String(item.sk)} does not have the shape that this version of fedplane knows (${attributes.join(', ')}). ` +
      'It may have been written by a newer version; if not, restore the table.',
    { details: { pk: item.pk, sk: item.sk, attributes } },
  )
}
