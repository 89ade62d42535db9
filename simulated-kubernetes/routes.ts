import { unavailable } from './aggregation.ts'
import type { Cluster } from './cluster.ts'
import { discover } from './discovery.ts'
import type { Write } from './persist.ts'
import type { Attributes } from './rbac.ts'
import { list, read } from './read.ts'
import { remove } from './remove.ts'
import { findType } from './resource-types.ts'
import { REVIEWS, requestToken } from './reviews.ts'
import { forbidden, methodNotAllowed, resourceUnknown } from './status.ts'
import { type ApiRequest, type ApiResponse, qualified, type ResourceType, type Target } from './types.ts'
import { create, finalize, patch, update } from './write.ts'

const HEALTH = new Set(['/healthz', '/livez', '/readyz'])

/** Below a namespace's name these are its own subresources, all else is a resource within it. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize'])

const withinNamespace = (rest: readonly string[]): Pick<Target, 'namespace' | 'plural' | 'name' | 'subresource'> => {
  const [first = '', second, third, fourth, fifth] = rest
  if (first === 'namespaces' && third !== undefined && !NAMESPACE_SUBRESOURCES.has(third)) {
    return { namespace: second, plural: third, name: fourth, subresource: fifth }
  }
  return { namespace: undefined, plural: first, name: second, subresource: third }
}

/** Which resource a path names; undefined for a path of another kind. */
const parseTarget = (path: string): Target | undefined => {
  const segments = path.split('/').slice(1).map(decodeURIComponent)
  if (segments[0] === 'api' && segments.length > 2) {
    return { group: '', version: segments[1] ?? '', ...withinNamespace(segments.slice(2)) }
  }
  if (segments[0] !== 'apis' || segments.length < 4) return undefined
  return { group: segments[1] ?? '', version: segments[2] ?? '', ...withinNamespace(segments.slice(3)) }
}

const verbOf = (method: string, target: Target): string => {
  const onOne = target.name !== undefined
  const verbs: Record<string, string> = {
    GET: onOne ? 'get' : 'list',
    POST: 'create',
    PUT: 'update',
    PATCH: 'patch',
    DELETE: onOne ? 'delete' : 'deletecollection',
  }
  return verbs[method] ?? method.toLowerCase()
}

/** A namespace's own name is its namespace for authorisation, as in the real server. */
const attributesOf = (method: string, target: Target): Attributes => ({
  verb: verbOf(method, target),
  group: target.group,
  resource: target.plural,
  ...(target.subresource === undefined ? {} : { subresource: target.subresource }),
  namespace: target.namespace ?? (target.group === '' && target.plural === 'namespaces' ? target.name : undefined),
  name: target.name,
})

const where = (namespace: string | undefined): string =>
  namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`

const authorizeResource = (request: ApiRequest, target: Target, cluster: Cluster): void => {
  const attributes = attributesOf(request.method, target)
  if (cluster.rbac.allows(request.user, attributes) !== undefined) return
  const { name, group, plural, subresource } = target
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`
  const subject = `${qualified(target)}${name === undefined ? '' : ` "${name}"`}`
  throw forbidden(
    { ...(name === undefined ? {} : { name }), ...(group === '' ? {} : { group }), kind: plural },
    `${subject} is forbidden: User "${request.user.username}" cannot ${attributes.verb} resource "${resource}" in API group "${group}" ${where(attributes.namespace)}`,
  )
}

const authorizePath = ({ method, path, user }: ApiRequest, cluster: Cluster): void => {
  const verb = method.toLowerCase()
  if (cluster.rbac.allows(user, { verb, path }) !== undefined) return
  throw forbidden({}, `forbidden: User "${user.username}" cannot ${verb} path "${path}"`)
}

const PAGE_NOT_FOUND: ApiResponse = { status: 404, body: '404 page not found\n' }

const answerPath = (request: ApiRequest, cluster: Cluster): ApiResponse => {
  authorizePath(request, cluster)
  if (HEALTH.has(request.path)) return { status: 200, body: 'ok' }
  const [, group = '', version = ''] = /^\/apis\/([^/]+)\/([^/]+)$/.exec(request.path) ?? []
  const refused = unavailable(cluster, { group, version })
  if (refused !== undefined) return refused
  const found = discover(request.path, cluster)
  return found === undefined ? PAGE_NOT_FOUND : { status: 200, body: found }
}

type Handler = (write: Write) => ApiResponse

const COLLECTION: Readonly<Record<string, Handler>> = {
  GET: ({ request, target, type, cluster }) => list(request, target, type, cluster),
  POST: create,
}

const STATUS: Readonly<Record<string, Handler>> = {
  GET: ({ target, type, cluster }) => ({ status: 200, body: read(cluster, type, target) }),
  PUT: update,
  PATCH: patch,
}

const OBJECT: Readonly<Record<string, Handler>> = {
  ...STATUS,
  DELETE: ({ request, target, type, cluster }) => remove(request, target, type, cluster),
}

const handlersOf = (target: Target, type: ResourceType): Readonly<Record<string, Handler>> | undefined => {
  if (target.name === undefined) return COLLECTION
  if (target.subresource === undefined) return OBJECT
  if (target.subresource === 'status' && type.statusSubresource) return STATUS
  if (target.subresource === 'finalize' && type.kind === 'Namespace') return { PUT: finalize }
  if (type.plural !== 'serviceaccounts' || target.subresource !== 'token') return undefined
  return { POST: ({ request, cluster }) => requestToken(request, target, cluster) }
}

/** Cluster-scoped resources have no place in a namespace's path, and objects of a namespace none outside of one (except lists). */
const fitsScope = (type: ResourceType, target: Target): boolean =>
  type.namespaced ? target.namespace !== undefined || target.name === undefined : target.namespace === undefined

const answerReview = (request: ApiRequest, target: Target, cluster: Cluster): ApiResponse | undefined => {
  const review = Object.hasOwn(REVIEWS, target.plural) ? REVIEWS[target.plural] : undefined
  if (review?.group !== target.group || target.name !== undefined) return undefined
  if (request.method !== 'POST') throw methodNotAllowed()
  return review.answer(request, cluster)
}

/** @throws StatusError 404, 405 */
const handlerOf = (method: string, target: Target, type: ResourceType): Handler => {
  const handlers = fitsScope(type, target) ? handlersOf(target, type) : undefined
  if (handlers === undefined) throw resourceUnknown()
  const handle = Object.hasOwn(handlers, method) ? handlers[method] : undefined
  const needsNamespace = type.namespaced && target.namespace === undefined && method !== 'GET'
  if (handle === undefined || needsNamespace) throw methodNotAllowed()
  return handle
}

const answerResource = (request: ApiRequest, target: Target, cluster: Cluster): ApiResponse => {
  authorizeResource(request, target, cluster)
  const answered = unavailable(cluster, target) ?? answerReview(request, target, cluster)
  if (answered !== undefined) return answered
  const type = findType(cluster, target)
  if (type === undefined) return unknownResource(target, cluster)
  return handlerOf(request.method, target, type)({ request, target, type, cluster })
}

/** In a group that is served a Status, else plain text: as the real server. */
const unknownResource = (target: Target, cluster: Cluster): ApiResponse => {
  const isBuiltin = target.group === '' || target.group.endsWith('.k8s.io')
  if (isBuiltin && discover(`/apis/${target.group}`, cluster) !== undefined) throw resourceUnknown()
  if (target.group === '') throw resourceUnknown()
  return PAGE_NOT_FOUND
}

/** Answers an authenticated request. @throws StatusError */
export const answer = (request: ApiRequest, cluster: Cluster): ApiResponse => {
  const target = parseTarget(request.path)
  return target === undefined ? answerPath(request, cluster) : answerResource(request, target, cluster)
}
