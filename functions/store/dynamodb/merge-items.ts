import type { EntityKey } from './across-projects.ts'
import type { ItemKey } from './keys.ts'
import { getItems, type Item, mergeAscending } from './read.ts'
import type { StoreContext } from './request.ts'

/** An entity of which we have the item, or only know where it is. */
type Candidate = { id: string; item: Item } | { id: string; key: EntityKey }

/** Foreign items that are read at once: three batches. More would be read in vain when the page is cut at 5 MB. */
const AHEAD_MAX = 300

async function* found(own: AsyncIterable<Item>): AsyncGenerator<Candidate> {
  for await (const item of own) yield { id: String(item.id), item }
}

async function* known(foreign: AsyncIterable<EntityKey>): AsyncGenerator<Candidate> {
  for await (const key of foreign) yield { id: key.id, key }
}

async function* distinct(candidates: AsyncIterable<Candidate>): AsyncGenerator<Candidate> {
  let last: string | undefined
  for await (const candidate of candidates) {
    if (candidate.id === last) continue
    last = candidate.id
    yield candidate
  }
}

/** Items of the candidates, in their order; those that are gone are left out. */
const read = async (
  context: StoreContext,
  candidates: readonly Candidate[],
  keyOf: (key: EntityKey) => ItemKey,
): Promise<Item[]> => {
  const keys = candidates.flatMap((candidate) => ('key' in candidate ? [keyOf(candidate.key)] : []))
  const items = new Map((await getItems(context, keys)).map((item) => [String(item.id), item]))
  return candidates.flatMap((candidate) => {
    const item = 'item' in candidate ? candidate.item : items.get(candidate.id)
    return item === undefined ? [] : [item]
  })
}

type Sources = {
  own: AsyncIterable<Item>
  /** Each rises by id. Of entities with one id, the own one is taken, else that of the earliest source. */
  foreign: readonly AsyncIterable<EntityKey>[]
  keyOf: (key: EntityKey) => ItemKey
  /** How many are wanted: nothing is read much further than that. */
  limit: number
}

/** Own items and those of other projects by their ids. Own ones cost no further read; others are read strongly, in batches. */
export async function* mergeItems(
  context: StoreContext,
  { own, foreign, keyOf, limit }: Sources,
): AsyncGenerator<Item> {
  const candidates = distinct(mergeAscending([found(own), ...foreign.map(known)], ({ id }) => id))
  let ahead: Candidate[] = []
  for await (const candidate of candidates) {
    ahead.push(candidate)
    const isAllHere = ahead.length === 1 && 'item' in candidate
    if (!isAllHere && ahead.length <= Math.min(limit, AHEAD_MAX)) continue
    yield* await read(context, ahead, keyOf)
    ahead = []
  }
  yield* await read(context, ahead, keyOf)
}
