import middy from '@middy/core'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import type { TablePorts } from '../core/ports.ts'
import { PROJECT_LIMITS } from '../core/values/quota.ts'
import type { Stores } from '../store/stores.ts'
import { audited } from './audit.ts'
import { readBody } from './body/read-body.ts'
import { FrameworkError, MethodNotInVersion, Unauthenticated } from './errors.ts'
import { type Exchange, matcher } from './match.ts'
import { isVersioned, middlewareBundle, toResult } from './middleware.ts'
import { MINOR_MIN, requireAcceptable, versionHeaders } from './negotiation.ts'
import { requirePolicy } from './policy.ts'
import { parseQuery } from './query.ts'
import type { ApiResponse, PrincipalRoute, PublicRequest, Route } from './route.ts'
import type { ApiSettings } from './settings.ts'

const requireVersion = (
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
  unaudited: PublicRequest<P>,
  params: Readonly<Record<string, string>>,
): Promise<ApiResponse> => {
  const { principal, http, minor, requestId } = exchange
  if (principal === null) throw new Unauthenticated('The request you have made requires authentication.')
  requireVersion(route, minor)
  const { rule } = route
  const said = `${http.requestContext.http.method} ${http.rawPath}`
  const base = { ...unaudited, ...audited(unaudited, { principal, requestId, rule, said }) }
  requirePolicy({ principal, settings: base.settings }, rule)
  const query = parseQuery(route.schemas.query, http.rawQueryString)
  const schema = route.schemas.body
  const body = schema?.parse(readBody(http, schema.bytesMax))
  return route.handle({ ...base, principal, rule, params, query, body })
}

/** Whatever a request makes or begins counts against its project's limits; what flows and workers do goes on. */
const withinLimits = (stores: Stores, { projectLimits = PROJECT_LIMITS }: ApiSettings): Stores => ({
  ...stores,
  commit: (writes) => stores.commit(writes, projectLimits),
})

/** Makes the innermost handler: calls the route's with all that it needs, parsed. */
const dispatcher =
  <P extends TablePorts>(ports: P, settings: ApiSettings) =>
  async (exchange: Exchange<P>): Promise<ApiResponse> => {
    const { target, http, minor, baseUrl, log } = exchange
    if (target instanceof FrameworkError) throw target
    const { route, params } = target
    const isHead = http.requestContext.http.method === 'HEAD'
    const limited = { ...ports, log, stores: withinLimits(ports.stores, settings) }
    const base: PublicRequest<P> = { ports: limited, settings, baseUrl, minor, headers: http.headers, isHead }
    if (route.access === 'none') {
      const bodyBytes = Buffer.byteLength(http.body ?? '', http.isBase64Encoded ? 'base64' : 'utf8')
      return route.handle({ ...base, params, rawQuery: http.rawQueryString, bodyBytes })
    }
    requireAcceptable(http.headers.accept, route.media)
    return handleForPrincipal(route, exchange, base, params)
  }

const first = (header: string | undefined): string => header?.split(',')[0]?.trim() ?? ''

const HOST = /^(?:[a-zA-Z0-9.-]+|\[[0-9a-fA-F:]+\])(?::[0-9]{1,5})?$/
/** Longest name of a host (RFC 1035 2.3.4), with a port. */
const HOST_MAX = 253 + ':65535'.length
/** Segments are no `.` or `..`, which clients would take away with those before them. */
const PREFIX = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+\/?$/

/** Looking like one is not enough: of `300.1.1.1` and `h:99999` no URL can be made. */
const isHost = (text: string): boolean => text.length <= HOST_MAX && HOST.test(text) && URL.canParse(`https://${text}`)

/** Path of a base URL, `''` at the root. */
const pathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/+$/, '')

type Forwarded = { scheme?: string; host?: string; path?: string }

const forwardedOf = (headers: APIGatewayProxyEventV2['headers']): Forwarded => {
  const scheme = first(headers['x-forwarded-proto']).toLowerCase()
  const host = first(headers['x-forwarded-host'])
  const prefix = first(headers['x-forwarded-prefix'])
  return {
    ...(scheme === 'http' || scheme === 'https' ? { scheme } : {}),
    ...(isHost(host) ? { host } : {}),
    ...(PREFIX.test(prefix) ? { path: prefix.replace(/\/+$/, '') } : {}),
  }
}

/**
 * Where links point: the configured base URL, in which what a trusted proxy forwards takes the place of the host (`X-Forwarded-Host`), the
 * scheme (`X-Forwarded-Proto`) and the mount path (`X-Forwarded-Prefix`), each by itself. A forwarded value that is none of that is passed
 * over, because links must not carry what anybody can send.
 */
export const baseUrlOf = (
  settings: Pick<ApiSettings, 'baseUrl' | 'trustForwarded'>,
  headers: APIGatewayProxyEventV2['headers'],
): string => {
  const configured = settings.baseUrl.replace(/\/+$/, '')
  const forwarded = settings.trustForwarded ? forwardedOf(headers) : {}
  if (Object.keys(forwarded).length === 0) return configured
  const own = new URL(configured)
  const { scheme = own.protocol.replace(':', ''), host = own.host, path = pathOf(configured) } = forwarded
  return `${scheme}://${host}${path}`
}

/**
 * A request's path without the mount path of the base URL: proxies take it away before they pass a request on, or leave it, and a base
 * path mapping of API Gateway leaves it.
 */
export const pathBelow = (baseUrl: string, rawPath: string): string => {
  const mount = pathOf(baseUrl)
  return rawPath === mount || rawPath.startsWith(`${mount}/`) ? rawPath.slice(mount.length) : rawPath
}

export type ApiApp = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>

/** API Gateway lower-cases header names; other callers may not. */
const lowerCased = (headers: APIGatewayProxyEventV2['headers']): APIGatewayProxyEventV2['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Requests that IAM authorises come to an address of their own, for which they are signed: their links stay there. */
const signedHost = ({ requestContext }: APIGatewayProxyEventV2): string | undefined => {
  const { authorizer, domainName } = requestContext as { authorizer?: { iam?: unknown }; domainName: string }
  return authorizer?.iam ? `https://${domainName}` : undefined
}

/**
 * An API as one function from an API Gateway event (HTTP API, payload 2.0) to its answer. Lambda entries and the local
 * server call the same; it never rejects.
 */
export const routesApp = <P extends TablePorts>(
  routes: readonly Route<P>[],
  ports: P,
  settings: ApiSettings,
): ApiApp => {
  const match = matcher(routes)
  const dispatch = dispatcher(ports, settings)
  const app = middy<Exchange<P>, APIGatewayProxyStructuredResultV2>(async (exchange: Exchange<P>) =>
    toResult(exchange.http, await dispatch(exchange)),
  ).use(middlewareBundle(ports, settings))
  return (event) => {
    const http = { ...event, headers: lowerCased(event.headers) }
    const requestId = `req-${ports.newId()}`
    const baseUrl = signedHost(http) ?? baseUrlOf(settings, http.headers)
    const target = match(http.requestContext.http.method, pathBelow(baseUrl, http.rawPath))
    const exchange: Exchange<P> = {
      http,
      requestId,
      startedAt: ports.clock.now().getTime(),
      baseUrl,
      target,
      log: ports.log.child({ requestId }),
      principal: null,
      minor: 1,
      // Until it is known which one is asked for: of whom nobody is known, too.
      versionHeaders: isVersioned({ target }) ? versionHeaders(`1.${MINOR_MIN}`) : {},
    }
    // No early time-out: the answer's own deadlines are shorter than the gateway's.
    return app(exchange, {} as Context)
  }
}
