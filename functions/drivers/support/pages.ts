import * as z from 'zod'
import { isAppError } from '../../core/values/app-error.ts'
import { jsonOrNothing } from '../../core/values/json.ts'
import { ANSWER_BOUNDS } from '../../kubernetes/bounds.ts'
import type { KubernetesClient, KubernetesObject, ListOptions, ObjectList, Resource } from '../../kubernetes/client.ts'
import { AnswerTooLarge, ApiUnavailable, ListTooLong, PermissionDenied } from '../../kubernetes/errors.ts'

/** Objects that are asked for at a time: 8 MiB are read of a page, so that they may have 33 KiB each. */
const PAGE_OBJECTS = 250

/** Pages that are too large are asked for again with a fifth of the objects, down to this many. */
const SMALLER = 5
const PAGE_OBJECTS_MIN = 10

/**
 * The most that is read of one list. An API server is its owner's, and says that there is more for as long as it likes: without an end
 * it would fill the memory of the process that serves all projects. The largest clusters have 5,000 nodes, and some ten thousand pods of no interest here.
 */
const PAGES_MAX = 200
const OBJECTS_MAX = 50_000

/** Bytes of JSON that are kept at a time: objects take three times that, and a function has 512 MiB. */
export const KEPT_BYTES_MAX = 48 * 1024 * 1024

/** Bytes of JSON that are read, where each page is thrown away. */
const READ_BYTES_MAX = 512 * 1024 * 1024

type Read = { pages: number; objects: number; bytes: number }

const tooLong = ({ plural }: Resource, { pages, objects, bytes }: Read, why: string): ListTooLong =>
  new ListTooLong(
    `The list of ${plural} does not end: ${why} after ${pages} pages, ${objects} objects and ${bytes} bytes. ` +
      'Check what answers in the place of the API server, and remove objects that are not needed.',
    { details: { plural, pages, objects, bytes } },
  )

const withPage = ({ pages, objects, bytes }: Read, page: ObjectList): Read => ({
  pages: pages + 1,
  objects: objects + page.items.length,
  bytes: bytes + (page.bytes ?? 0),
})

/** What to ask for after a page; undefined after the last. */
const nextOf = ({ continue: next }: ObjectList): string | undefined => (next === '' ? undefined : next)

type Query = Omit<ListOptions, 'limit'>

const queryOf = ({ labelSelector, table = false }: PageOptions, next: string | undefined): Query => ({
  ...(labelSelector === undefined ? {} : { labelSelector }),
  ...(next === undefined ? {} : { continue: next }),
  ...(table ? { table } : {}),
})

/** Also where the client says it in its own words. */
const isTooLarge = (error: unknown): boolean =>
  error instanceof AnswerTooLarge || (isAppError(error) && error.cause instanceof AnswerTooLarge)

/** Reads pages, smaller ones once a page was too large. */
const pageReader = (client: KubernetesClient, resource: Resource, first: number) => {
  let limit = first
  return async (query: Query): Promise<ObjectList> => {
    for (;;) {
      try {
        return await client.list(resource, { limit, ...query })
      } catch (error) {
        if (!isTooLarge(error) || limit <= PAGE_OBJECTS_MIN) throw error
        limit = Math.max(PAGE_OBJECTS_MIN, Math.floor(limit / SMALLER))
      }
    }
  }
}

type PageOptions = {
  labelSelector?: string | undefined
  /** Bytes of all pages together. Default: 512 MiB, for callers that keep none of them. */
  bytesMax?: number
  /** Asked for at a time. Default: 250. */
  objects?: number
  /** As in `ListOptions`. */
  table?: boolean
}

/**
 * The pages of a list, one after the other, as long as the caller goes on.
 *
 * @throws ListTooLong beyond 200 pages, 50,000 objects or the bytes that are given, and where a page follows itself
 */
export async function* pagesOf(
  client: KubernetesClient,
  resource: Resource,
  options: PageOptions = {},
): AsyncGenerator<KubernetesObject[], void> {
  const { bytesMax = READ_BYTES_MAX, objects = PAGE_OBJECTS } = options
  const readPage = pageReader(client, resource, objects)
  let read: Read = { pages: 0, objects: 0, bytes: 0 }
  let next: string | undefined
  do {
    if (read.pages === PAGES_MAX) throw tooLong(resource, read, 'there is more')
    const page = await readPage(queryOf(options, next))
    read = withPage(read, page)
    if (read.objects > OBJECTS_MAX || read.bytes > bytesMax) throw tooLong(resource, read, 'it is too large')
    yield page.items
    const following = nextOf(page)
    if (following !== undefined && following === next) throw tooLong(resource, read, 'a page follows itself')
    next = following
  } while (next !== undefined)
}

/** Fields that are null are absent: clients of some languages write them so. */
const withoutNulls = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, field]) => (field === null ? [] : [[key, withoutNulls(field)]])),
  )
}

/** An object as it is used, or which field of it is none of Kubernetes'. */
type Shaped<T> = { data: T; fault?: undefined } | { fault: string }

/** Reads an object of an API server, which may be anything that answers in its place. */
export const shaped = <T>(shape: z.ZodType<T>, object: unknown): Shaped<T> => {
  const asIs = shape.safeParse(object)
  // Nearly always right at once: only what is not is gone through.
  const { success, data, error } = asIs.success ? asIs : shape.safeParse(withoutNulls(object))
  if (success) return { data }
  const [issue] = error.issues
  return { fault: issue === undefined || issue.path.length === 0 ? 'the whole of it' : issue.path.join('.') }
}

const ResourceList = z.object({ resources: z.array(z.object({ name: z.string() })) })

/** Who lets an account ask. */
export const DISCOVERY_RIGHT = 'the ClusterRole system:discovery, which Kubernetes binds to all accounts by itself'

const pluralsIn = (text: string): string[] =>
  (ResourceList.safeParse(jsonOrNothing(text, ANSWER_BOUNDS.raw.values)).data?.resources ?? []).map(({ name }) => name)

/**
 * Plurals of what an API server serves of an API version; none when it does not serve the version. A 404 to anything else does not tell what is gone
 * from what is not served for a while.
 *
 * @throws PermissionDenied, ApiUnavailable when it does not tell
 */
export const servedOf = async (
  client: KubernetesClient,
  { group, version }: Pick<Resource, 'group' | 'version'>,
): Promise<ReadonlySet<string>> => {
  const { status, body } = await client.raw(`/apis/${group}/${version}`)
  if (status === 200) return new Set(pluralsIn(body))
  if (status === 404) return new Set()
  const words = `The API server does not tell what it serves of ${group}/${version} (${status})`
  if (status === 401 || status === 403) throw new PermissionDenied(`${words}: give our account ${DISCOVERY_RIGHT}.`)
  throw new ApiUnavailable(`${words}; it is asked again.`, { details: { status } })
}
