import middy from '@middy/core'
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda'
import type { TablePorts } from '../core/ports.ts'
import { baseUrlOf, pathBelow } from './base-url.ts'
import { dispatcher } from './dispatch.ts'
import type { Exchange } from './exchange.ts'
import { matcher } from './match.ts'
import { middlewareBundle } from './middleware/bundle.ts'
import { toResult } from './result.ts'
import type { Route } from './route.ts'
import type { ApiSettings } from './settings.ts'

export type ApiApp = (event: APIGatewayProxyEventV2) => Promise<APIGatewayProxyStructuredResultV2>

/** API Gateway lower-cases header names; other callers may not. */
const lowerCased = (headers: APIGatewayProxyEventV2['headers']): APIGatewayProxyEventV2['headers'] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

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
    const baseUrl = baseUrlOf(settings, http.headers)
    const exchange: Exchange<P> = {
      http,
      requestId,
      startedAt: ports.clock.now().getTime(),
      baseUrl,
      target: match(http.requestContext.http.method, pathBelow(baseUrl, http.rawPath)),
      log: ports.log.child({ requestId }),
      principal: null,
      minor: 1,
      versionHeaders: {},
    }
    // No early time-out: the answer's own deadlines are shorter than the gateway's.
    return app(exchange, {} as Context)
  }
}
