import type { Page } from '../../store/page.ts'
import type { ApiResponse } from '../route.ts'
import type { ListQuery } from './list-query.ts'

/** Bytes of a page: Lambda answers at most 6 MB. */
const PAGE_BYTES_MAX = 5 * 1024 * 1024

export type ListShape<T> = {
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
