import { InvalidRequest, type Noun, notFound } from '../core/errors.ts'
import { isUuid, isUuidV7 } from '../core/values/ids.ts'
import { listInWords, quote } from '../core/values/wording.ts'
import type { Page, PageRequest } from '../store/page.ts'
import type { ListQuery } from './query.ts'
import type { ApiResponse } from './route.ts'

/** Bytes of a page: Lambda answers at most 6 MB. */
const PAGE_BYTES_MAX = 5 * 1024 * 1024

type ListShape<T> = {
  /** Key of the array. */
  collection: string
  /** Absolute URL of this list. */
  url: string
  /** Other parameters of the query, which go on to the next page. */
  keep?: Readonly<Record<string, string | undefined>>
  /** As JSON. */
  write(item: T): string
}

const countThatFits = (parts: readonly string[]): number => {
  let bytes = 0
  for (const [index, part] of parts.entries()) {
    bytes += Buffer.byteLength(part) + 1
    if (bytes > PAGE_BYTES_MAX && index > 0) return index
  }
  return parts.length
}

/** What of the query goes on to the next page. */
type PageQuery = Pick<ListQuery, 'limit'> & Partial<Pick<ListQuery, 'sort_key' | 'sort_dir'>>

const nextUrl = (
  { url, keep = {} }: Pick<ListShape<never>, 'url' | 'keep'>,
  { sort_key, sort_dir, limit }: PageQuery,
  marker: string,
): string => {
  const query = { ...keep, sort_key, sort_dir, limit: String(limit), marker }
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${url}?${new URLSearchParams(given)}`
}

/**
 * `{"<collection>": […], "next": …}`. `next` is there when the page is exactly full, even if nothing follows (Magnum's rule), or when it
 * was cut at 5 MB.
 */
export const listResponse = <T extends { id: string }>(
  page: Page<T>,
  query: PageQuery,
  shape: ListShape<T>,
): ApiResponse => {
  const { collection, write } = shape
  const all = page.items.map((item) => write(item))
  const count = countThatFits(all)
  const last = page.items[count - 1]
  const isCut = page.more || count < all.length || count === query.limit
  const next = isCut && last !== undefined ? `,"next":${JSON.stringify(nextUrl(shape, query, last.id))}` : ''
  return { status: 200, text: `{${JSON.stringify(collection)}:[${all.slice(0, count).join(',')}]${next}}` }
}

/** Other orders than that of creation are sorted in memory, up to this many items (design section 2). */
const SORTED_MAX = 5000

/** Value of a column; null sorts first. */
export type Columns<T> = Readonly<Record<string, (item: T) => string | number | boolean | null>>

export type Listing<T> = {
  noun: Noun
  columns: Columns<T>
  get(id: string): Promise<T | undefined>
  /** In order of creation. */
  page(request: PageRequest): Promise<Page<T>>
  /** True where that is the order of ids, so that a page can begin after one that is deleted. Default false. */
  isById?: boolean
}

const columnOf = <T>(columns: Columns<T>, key: string): Columns<T>[string] => {
  const column = Object.hasOwn(columns, key) ? columns[key] : undefined
  if (column !== undefined) return column
  throw new InvalidRequest(`"sort_key" ${quote(key)} is unknown. Allowed are ${listInWords(Object.keys(columns), 40)}.`)
}

const compare = (a: string | number | boolean | null, b: string | number | boolean | null): number => {
  if (a === b) return 0
  if (a === null || b === null) return a === null ? -1 : 1
  return a < b ? -1 : 1
}

const readAll = async <T extends { id: string }>(listing: Listing<T>): Promise<T[]> => {
  const all: T[] = []
  for (let more = true; more; ) {
    const marker = all.at(-1)?.id
    const page = await listing.page({ limit: 1000, ...(marker === undefined ? {} : { marker }) })
    all.push(...page.items)
    more = page.more && page.items.length > 0
    if (all.length > SORTED_MAX) {
      throw new InvalidRequest(
        `There are more than ${SORTED_MAX} items, too many to sort. Leave "sort_key" and "sort_dir" out to list them in order of creation.`,
      )
    }
  }
  return all
}

const sorted = async <T extends { id: string }>(listing: Listing<T>, query: ListQuery): Promise<Page<T>> => {
  const column = columnOf(listing.columns, query.sort_key)
  const sign = query.sort_dir === 'asc' ? 1 : -1
  const all = await readAll(listing)
  all.sort((a, b) => sign * (compare(column(a), column(b)) || compare(a.id, b.id)))
  const from = query.marker === undefined ? 0 : all.findIndex((item) => item.id === query.marker) + 1
  if (query.marker !== undefined && from === 0) throw notFound(listing.noun, query.marker)
  return { items: all.slice(from, from + query.limit), more: from + query.limit < all.length }
}

/** One of ours may have been deleted since it was the last of a page; any other id is no marker. */
const mayHaveBeen = ({ isById = false }: Pick<Listing<unknown>, 'isById'>, marker: string): boolean =>
  isById && isUuidV7(marker)

const native = async <T>(listing: Listing<T>, { limit, marker }: ListQuery): Promise<Page<T>> => {
  if (marker === undefined) return listing.page({ limit })
  if (isUuid(marker) && !mayHaveBeen(listing, marker) && (await listing.get(marker)) === undefined) {
    throw notFound(listing.noun, marker)
  }
  return listing.page({ limit, marker })
}

/** The items that a list query asks for. Ids rise with creation, so `id` ascending is the stores' own order. */
export const selectPage = async <T extends { id: string }>(listing: Listing<T>, query: ListQuery): Promise<Page<T>> => {
  columnOf(listing.columns, query.sort_key)
  const isNative = query.sort_dir === 'asc' && (query.sort_key === 'id' || query.sort_key === 'uuid')
  return isNative ? native(listing, query) : sorted(listing, query)
}
