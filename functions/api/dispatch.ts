import type { TablePorts } from '../core/ports.ts'
import { PROJECT_LIMITS } from '../core/values/project-limits.ts'
import type { Stores } from '../store/stores.ts'
import { demandAcceptable } from './accept.ts'
import { readBody } from './body/read-body.ts'
import { Unauthenticated } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { FrameworkError, MethodNotInVersion } from './framework-errors.ts'
import { demandPolicy } from './policy.ts'
import { parseQuery } from './query.ts'
import type { ApiResponse, PrincipalRoute, PublicRequest } from './route.ts'
import type { ApiSettings } from './settings.ts'

const demandVersion = (
  { minVersion = 0, method, path }: Pick<PrincipalRoute, 'minVersion' | 'method' | 'path'>,
  minor: number,
): void => {
  if (minor >= minVersion) return
  throw new MethodNotInVersion(`${method} ${path} needs version 1.${minVersion} or later; 1.${minor} is in effect.`)
}

/** What routes of a principal ask before they act: version, rule, query, body, in this order. */
const handleForPrincipal = <P extends TablePorts>(
  route: PrincipalRoute<P>,
  exchange: Exchange,
  base: PublicRequest<P>,
  params: Readonly<Record<string, string>>,
): Promise<ApiResponse> => {
  const { principal, http, minor } = exchange
  if (principal === null) throw new Unauthenticated('The request you have made requires authentication.')
  demandVersion(route, minor)
  demandPolicy({ principal, settings: base.settings }, route.rule)
  const query = parseQuery(route.schemas.query, http.rawQueryString)
  const schema = route.schemas.body
  const body = schema?.parse(readBody(http, schema.bytesMax))
  const caller = { userId: principal.userId, projectId: principal.projectId }
  return route.handle({
    ...base,
    ports: { ...base.ports, caller },
    principal,
    rule: route.rule,
    params,
    query,
    body,
  })
}

/** Whatever a request makes or begins counts against its project's limits; what flows and workers do goes on. */
const withinLimits = (stores: Stores, { projectLimits = PROJECT_LIMITS }: ApiSettings): Stores => ({
  ...stores,
  commit: (writes) => stores.commit(writes, projectLimits),
})

/** Makes the innermost handler: calls the route's with all that it needs, parsed. */
export const dispatcher =
  <P extends TablePorts>(ports: P, settings: ApiSettings) =>
  async (exchange: Exchange<P>): Promise<ApiResponse> => {
    const { target, http, minor, baseUrl, log } = exchange
    if (target instanceof FrameworkError) throw target
    const { route, params } = target
    const isHead = http.requestContext.http.method === 'HEAD'
    const limited = { ...ports, log, stores: withinLimits(ports.stores, settings) }
    const base: PublicRequest<P> = { ports: limited, settings, baseUrl, minor, headers: http.headers, isHead }
    if (route.access === 'none') return route.handle(base)
    demandAcceptable(http.headers.accept, route.media)
    return handleForPrincipal(route, exchange, base, params)
  }
