import type { APIGatewayProxyEventV2 } from 'aws-lambda'
import type { Logger, TablePorts } from '../core/ports.ts'
import type { Principal } from '../core/values/identity.ts'
import { isUuid } from '../core/values/ids.ts'
import { byNumber, listInWords, quote } from '../core/values/wording.ts'
import { type FrameworkError, MethodNotAllowed, RouteArgumentsWrong, RouteNotFound } from './errors.ts'
import type { Method, Route } from './route.ts'

/** Paths outside of the version: everything else is under `/v1`, whether it says so or not. */
const UNVERSIONED = ['', 'healthcheck']

/**
 * A request's path as segments, without trailing slashes and always with its `v1` (magnum-rest.md 1.2: `/clusters` is `/v1/clusters`).
 * The path comes with its escapes decoded already: HTTP APIs do that, and local mode does as they do.
 */
export const segmentsOf = (rawPath: string): string[] => {
  const segments = rawPath.replace(/^\/+/, '').replace(/\/+$/, '').split('/')
  const first = segments[0] ?? ''
  if (first === 'v1' || (segments.length === 1 && UNVERSIONED.includes(first))) return segments
  return ['v1', ...segments]
}

/** In the order in which `Allow` names them. */
const METHODS: readonly Method[] = ['GET', 'POST', 'PATCH', 'DELETE']

type Match<P extends TablePorts = never> = { route: Route<P>; params: Record<string, string> }

type Compiled<P extends TablePorts = never> = { route: Route<P>; segments: string[]; parameters: number }

const isParameter = (segment: string): boolean => segment.startsWith('{')

const compile = <P extends TablePorts>(route: Route<P>): Compiled<P> => {
  const segments = route.path.slice(1).split('/')
  return { route, segments, parameters: segments.filter(isParameter).length }
}

const fits = ({ segments }: Compiled, path: readonly string[]): boolean =>
  segments.length === path.length &&
  segments.every((segment, index) => (isParameter(segment) ? path[index] !== '' : segment === path[index]))

const paramsOf = ({ segments }: Compiled, path: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    segments.flatMap((segment, index) => (isParameter(segment) ? [[segment.slice(1, -1), path[index] ?? '']] : [])),
  )

/**
 * Methods that Magnum answers with 400 instead of 405, because its controller has them and only the id is missing or one too many
 * (magnum-rest.md 13.4).
 */
const isArgumentFault = (table: readonly Compiled[], method: string, path: readonly string[]): boolean => {
  const has = (wanted: string, at: readonly string[]): boolean =>
    table.some((entry) => entry.route.method === wanted && fits(entry, at))
  if (method === 'DELETE' || method === 'PATCH') return has('GET', path) && has(method, [...path, 'id'])
  return method === 'POST' && has('GET', path) && has('POST', path.slice(0, -1))
}

const noSuchPath = (table: readonly Compiled[]): RouteNotFound => {
  const collections = new Set(table.flatMap(({ segments: [root, name] }) => (root === 'v1' && name ? [name] : [])))
  const there = listInWords([...collections].sort().map((name) => `/v1/${name}`))
  return new RouteNotFound(`The resource could not be found: no such path. There are ${there}.`)
}

const refusal = (table: readonly Compiled[], method: string, path: readonly string[]): FrameworkError => {
  const [, collection, ident, word] = path
  if (path.length === 4 && collection === 'federations' && word === 'detail' && !isUuid(ident ?? '')) {
    return new RouteArgumentsWrong('"detail" stands in place of an id: use /v1/federations/detail.')
  }
  const allow = table.filter((entry) => fits(entry, path)).map((entry) => entry.route.method)
  if (allow.length === 0) return noSuchPath(table)
  if (isArgumentFault(table, method, path)) {
    return new RouteArgumentsWrong(
      `${quote(method)} takes another path: with an id to change or delete, without to create.`,
    )
  }
  const methods = METHODS.filter((known) => allow.includes(known))
  const allowed = `${byNumber(methods, 'allowed is', 'allowed are')} ${methods.join(', ')}`
  return new MethodNotAllowed(`The method is not allowed for this path; ${allowed}.`, {
    details: { allow: methods.join(', ') },
  })
}

/**
 * Makes the function that finds the route of a request. A literal segment wins over a parameter; HEAD is GET; trailing slashes and
 * a missing `v1` are fine.
 */
export const matcher = <P extends TablePorts>(
  routes: readonly Route<P>[],
): ((method: string, rawPath: string) => Match<P> | FrameworkError) => {
  const table = routes.map((route) => compile(route)).sort((a, b) => a.parameters - b.parameters)
  return (method, rawPath) => {
    const path = segmentsOf(rawPath)
    const wanted = method === 'HEAD' ? 'GET' : method
    const found = table.find((entry) => entry.route.method === wanted && fits(entry, path))
    if (found === undefined) return refusal(table, wanted, path)
    return { route: found.route, params: paramsOf(found, path) }
  }
}

/**
 * One request on its way through the middlewares: the event, and what they found out about it. `P`: what its route may be handled with;
 * middlewares handle none.
 */
export type Exchange<P extends TablePorts = never> = {
  readonly http: APIGatewayProxyEventV2
  readonly requestId: string
  /** `Date.now()` of the clock when it came in. */
  readonly startedAt: number
  readonly baseUrl: string
  readonly target: Match<P> | FrameworkError
  /** Gets the project added once it is known. */
  log: Logger
  principal: Principal | null
  /** Minor version in effect; 1 until the header is read. */
  minor: number
  /** Set once the header is parsed, for paths under `/v1`. */
  versionHeaders: Readonly<Record<string, string>>
}
