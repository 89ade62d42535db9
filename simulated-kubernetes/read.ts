import type { Cluster } from './cluster.ts'
import { prune } from './schema.ts'
import { fieldMatcher, labelMatcher } from './selectors.ts'
import { badRequest, notFound } from './status.ts'
import {
  type ApiObject,
  type ApiRequest,
  type ApiResponse,
  apiVersionOf,
  type ResourceType,
  type Target,
} from './types.ts'

/** A stored object as the asked version shows it: its `apiVersion`, and only the fields that this version declares. */
export const present = (type: ResourceType, object: ApiObject): ApiObject => {
  if (!type.custom) return object
  return { ...(prune(object, type.schema) as ApiObject), apiVersion: apiVersionOf(type) }
}

/** @throws StatusError 404 */
export const read = (cluster: Cluster, type: ResourceType, target: Target): ApiObject => {
  const stored = cluster.store.get(type, target.name ?? '', target.namespace)
  if (stored === undefined) throw notFound(type, target.name ?? '')
  return present(type, stored.object)
}

/** Items of a list of a built-in kind come without `kind` and `apiVersion`; those of custom resources with them. As the real server. */
const asItem = (type: ResourceType, object: ApiObject): object => {
  if (type.custom) return present(type, object)
  const { kind: _kind, apiVersion: _apiVersion, ...item } = object
  return item
}

type Continue = { revision: string; after: string }

const keyOf = (object: ApiObject): string => `${object.metadata.namespace ?? ''}/${object.metadata.name}`

const decodeContinue = (token: string): Continue => {
  try {
    const { revision, after } = JSON.parse(Buffer.from(token, 'base64url').toString()) as Continue
    if (typeof after === 'string') return { revision, after }
  } catch {
    // Told below.
  }
  throw badRequest('invalid continue token: continue key is not valid')
}

type Page = { items: ApiObject[]; continue?: string; remainingItemCount?: number }

/** A page after the continue token. It reads what is there now: a list in pages is no snapshot here. */
const page = (objects: ApiObject[], query: URLSearchParams, revision: string): Page => {
  const token = query.get('continue') ?? ''
  const after = token === '' ? undefined : decodeContinue(token).after
  const rest = after === undefined ? objects : objects.filter((object) => keyOf(object) > after)
  const limit = Number(query.get('limit') ?? 0)
  const items = limit > 0 ? rest.slice(0, limit) : rest
  const last = items.at(-1)
  if (last === undefined || items.length === rest.length) return { items }
  const next: Continue = { revision, after: keyOf(last) }
  return {
    items,
    continue: Buffer.from(JSON.stringify(next)).toString('base64url'),
    remainingItemCount: rest.length - items.length,
  }
}

/** GET of a collection, with selectors and pages. @throws StatusError 400 for selectors, continue tokens, and `watch` */
export const list = (request: ApiRequest, target: Target, type: ResourceType, cluster: Cluster): ApiResponse => {
  const { query } = request
  if (['true', '1'].includes(query.get('watch') ?? '')) {
    throw badRequest('watch is not part of the simulated Kubernetes API')
  }
  const byLabel = labelMatcher(query.get('labelSelector') ?? '')
  const byField = fieldMatcher(query.get('fieldSelector') ?? '', type.kind)
  const objects = cluster.store.list(type, target.namespace).filter((object) => byLabel(object) && byField(object))
  const { items, ...rest } = page(objects, query, cluster.store.revision)
  return {
    status: 200,
    body: {
      kind: `${type.kind}List`,
      apiVersion: apiVersionOf(type),
      metadata: { resourceVersion: cluster.store.revision, ...rest },
      items: items.map((object) => asItem(type, object)),
    },
  }
}
